/* Decimal numbers as text: read fast and correctly rounded, written with the digits that read back.
 *
 * Text with up to 19 digits and a power of ten within 27 is converted by exact integer arithmetic; the
 * rest goes to strtod. strtod and printf follow the locale's decimal point: this program never calls
 * setlocale, so the locale is "C". */
#ifndef GLSHAPE_IO_NUMBER_H
#define GLSHAPE_IO_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IO_NUMBER_ROOM = 32 };

/* Reads text[0 .. length) into *out and returns true if all of it is one number: digits with an optional
 * sign, point and exponent, or nan, na, inf, infinity in any case, with an optional sign. The nearest
 * double, ties to even; too large gives an infinity. text[length] must be readable and be no character
 * of a number. */
bool io_number_parse(const char *text, size_t length, double *out);

/* Returns true if text[0 .. length) is an integer, digits with an optional sign (and perhaps .0), that double
 * precision does not have. Such a one is set in *out, or *out is 0 if 64 bits with a sign do not hold it.
 * value: what io_number_parse() made of it. */
bool io_number_is_rounded(const char *text, size_t length, double value, int64_t *out);
/* Reads a number whose decimals stand behind a comma, as io_number_parse(). */
bool io_number_parse_comma(const char *text, size_t length, double *out);
/* Returns true if it would. */
bool io_number_has_comma(const char *text, size_t length);

/* Writes to out the shortest of the texts that %.15g, %.16g and %.17g give that reads back as value;
 * "nan", "inf", "-inf". Returns its length. */
size_t io_number_print(char out[IO_NUMBER_ROOM], double value);

/* The same for a float, of %.6g to %.9g: the text reads back as value when rounded to float. */
size_t io_number_print_float(char out[IO_NUMBER_ROOM], float value);
/* What %g prints. */
size_t io_number_print_six(char out[IO_NUMBER_ROOM], float value);

#endif
