"""Many small problems as one job."""
from __future__ import annotations

import os
import threading

from ._context import Call, Context, default, threads_of


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
        self.results, self.done = [], 0
        self.failed, self.failed_at = None, float("inf")  # the first input that failed; -1: not an input's failure
        self.lock = threading.Lock()
        self.call = Call(progress)

    def take(self):
        with self.lock:
            if self.failed is not None:
                return None
            try:
                item = next(self.inputs, None)
            except Exception as error:  # the caller's iterator
                self.fail(-1, error)
                return None
            if item is not None:
                self.results.append(None)
            return item

    def fail(self, k, error):
        """Keeps the failure of the first input, as if one thread had done them all."""
        if k < self.failed_at:
            self.failed, self.failed_at = error, k

    def report(self, k):
        """Progress of a call: it ends soon after an input before it has failed."""
        if self.failed_at < k:
            raise InterruptedError("another input of the batch failed")

    def put(self, k, result):
        with self.lock:
            self.results[k] = result
            self.done += 1
            if self.call.report and self.total:
                self.call.report(self.done / self.total)

    def run(self, context):
        """What each thread does."""
        k = -1
        try:
            while (item := self.take()) is not None:
                k, x = item
                try:
                    result = self.work(x, context, lambda fraction: self.report(k))
                except (ValueError, OSError, MemoryError) as error:
                    if self.errors == "raise":
                        raise type(error)(f"input {k} of the batch: {error}") from error
                    result = error
                self.put(k, result)
        except Exception as error:
            self.fail(k, error)
        except BaseException as error:  # Ctrl-C
            self.fail(-1, error)


def run(inputs, work, *, threads=0, context=None, errors="raise", progress=None):
    """Returns a list of work(input, context, progress). errors: "raise", or "return" in place of the result."""
    if errors not in ("raise", "return"):
        raise ValueError(f"errors is {errors!r}; it is 'raise' or 'return'")
    threads = threads_of(threads)
    job = _Job(inputs, work, errors, progress)
    context = context or default()
    wanted = min(threads or _processors(), job.total if job.total is not None else threads or _processors())
    others = [threading.Thread(target=job.run, args=(other,), daemon=True) for other in context._others(wanted - 1)]
    for thread in others:
        thread.start()
    job.run(context)
    try:
        for thread in others:
            thread.join()
    except BaseException as error:  # Ctrl-C, while the others work: they end soon
        job.fail(-1, error)
        for thread in others:
            thread.join()
    job.call.close()
    if job.failed is not None:
        raise job.failed
    return job.results
