/* The Python package. Its tests are in Python; each file of them is a test here. PYTHON names the
 * interpreter, which is the system's, as Debian's packages are for that one. The library is the one beside
 * the command. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/shell.h"

Suite *python_suite(void);

#define PYTHON "${PYTHON:-/usr/bin/python3}"
/* Why there is nothing to test; NULL: there is. */
static const char *reason(void) {
    if (shell("[ -e \"$(dirname $G)\"/libglshape.so.0 ]"))
        return "there is no shared library beside the command";
    if (shell(PYTHON " -c 'import numpy'")) return "python3-numpy is not installed";
    return NULL;
}

START_TEST(python_tests) {
    const char *why = reason();
    if (why) {
        printf("python: skipped, as %s\n", why);
        return;
    }
    shell_do(
        "export GLSHAPE=$(realpath $G) PYTHONPATH=$PWD/src/python PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=$D; "
        "GLSHAPE_LIBRARY=$(dirname $GLSHAPE)/libglshape.so.0 " PYTHON
        " -m unittest discover -s tests/python 2>&1 | tail -n 60 >&2; tail -n 1 $D/stderr | grep -q '^OK'");
}
END_TEST

Suite *python_suite(void) {
    Suite *s = suite_create("python");
    tcase_add_test(shell_case(s, "python", 600), python_tests);
    return s;
}
