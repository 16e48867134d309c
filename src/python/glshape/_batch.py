"""Many small problems as one job."""
from __future__ import annotations

import os
import threading

from ._context import Call, Context, default


def _processors():
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


class _Job:
    """Inputs are taken in order, by several threads, each with a context of its own; results stand in that order."""

    def __init__(self, inputs, work, errors, progress):
        self.inputs = enumerate(inputs)
        self.total = len(inputs) if hasattr(inputs, "__len__") else None
        self.work, self.errors = work, errors
        self.results, self.failed, self.done = [], None, 0
        self.lock = threading.Lock()
        self.call = Call(progress)

    def take(self):
        with self.lock:
            if self.failed is not None:
                return None
            try:
                item = next(self.inputs, None)
            except Exception as error:  # the caller's iterator
                self.failed = error
                return None
            if item is not None:
                self.results.append(None)
            return item

    def report(self):
        """Progress of a call: the work ends soon after another has failed."""
        if self.failed is not None:
            raise InterruptedError("another input of the batch failed")

    def put(self, k, result):
        with self.lock:
            self.results[k] = result
            self.done += 1
            if self.call.report and self.total:
                self.call.report(self.done / self.total)

    def run(self, context):
        """What each thread does."""
        try:
            while (item := self.take()) is not None:
                try:
                    result = self.work(item[1], context, lambda fraction: self.report())
                except (ValueError, OSError, MemoryError) as error:
                    if self.errors == "raise":
                        raise type(error)(f"input {item[0]} of the batch: {error}") from error
                    result = error
                self.put(item[0], result)
        except BaseException as error:
            if self.failed is None:
                self.failed = error


def run(inputs, work, *, threads=0, context=None, errors="raise", progress=None):
    """Returns a list of work(input, context, progress). errors: "raise", or "return" in place of the result."""
    if errors not in ("raise", "return"):
        raise ValueError(f"errors is {errors!r}; it is 'raise' or 'return'")
    job = _Job(inputs, work, errors, progress)
    context = context or default()
    wanted = min(threads or _processors(), job.total if job.total is not None else threads or _processors())
    others = [threading.Thread(target=job.run, args=(other,), daemon=True) for other in context._others(wanted - 1)]
    for thread in others:
        thread.start()
    job.run(context)
    for thread in others:
        thread.join()
    if job.failed is not None:
        raise job.failed
    return job.results
