#include "io/number.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { EXACT_TEN = 22, EXACT_FIVE = 27, HUGE_EXPONENT = 100000 };

/* digits × 10^exponent, exact unless digits beyond the nineteenth were dropped. */
typedef struct decimal {
    uint64_t digits;
    long exponent;
    bool negative, dropped;
} decimal;

/* 5^k: all that fit 64 bits. */
static const uint64_t fives[EXACT_FIVE + 1] = {1u,
                                               5u,
                                               25u,
                                               125u,
                                               625u,
                                               3125u,
                                               15625u,
                                               78125u,
                                               390625u,
                                               1953125u,
                                               9765625u,
                                               48828125u,
                                               244140625u,
                                               1220703125u,
                                               6103515625u,
                                               30517578125u,
                                               152587890625u,
                                               762939453125u,
                                               3814697265625u,
                                               19073486328125u,
                                               95367431640625u,
                                               476837158203125u,
                                               2384185791015625u,
                                               11920928955078125u,
                                               59604644775390625u,
                                               298023223876953125u,
                                               1490116119384765625u,
                                               7450580596923828125u};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Appends the digits at p to d; returns where they end. Each one moves the exponent by moves, and one
 * that does not fit by 1 more. */
static const char *scan_digits(const char *p, const char *end, long moves, decimal *d) {
    for (; p < end && is_digit(*p); p++) {
        unsigned digit = (unsigned)(*p - '0');
        d->exponent += moves;
        if (d->digits <= (UINT64_MAX - 9) / 10) {
            d->digits = d->digits * 10 + digit;
        } else {
            d->exponent++;
            d->dropped |= digit != 0;
        }
    }
    return p;
}

/* Reads the exponent that may be at p; NULL if it has no digits. */
static const char *scan_exponent(const char *p, const char *end, decimal *d) {
    if (p == end || (*p != 'e' && *p != 'E')) return p;
    bool negative = ++p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end || !is_digit(*p)) return NULL;
    long exponent = 0;
    for (; p < end && is_digit(*p); p++)
        if (exponent < HUGE_EXPONENT) exponent = exponent * 10 + (*p - '0');
    d->exponent += negative ? -exponent : exponent;
    return p;
}

static bool scan(const char *p, const char *end, decimal *d) {
    d->negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *whole = p;
    p = scan_digits(p, end, 0, d);
    bool any = p > whole;
    if (p < end && *p == '.') {
        const char *point = p++;
        p = scan_digits(p, end, -1, d);
        any |= p > point + 1;
    }
    return any && scan_exponent(p, end, d) == end;
}

static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#if FLT_EVAL_METHOD == 0
/* Both operands are exact doubles, so the one operation rounds correctly (Clinger 1990). */
static bool convert_small(const decimal *d, double *out) {
    if (d->digits >> 53 || labs(d->exponent) > EXACT_TEN) return false;
    double whole = (double)d->digits;
    *out = d->exponent < 0 ? whole / tens[-d->exponent] : whole * tens[d->exponent];
    return true;
}
#else
static bool convert_small(const decimal *d, double *out) {
    (void)d, (void)out;
    return false;
}
#endif

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

/* digits × 5^k, k >= 0, as a 64-bit mantissa whose last bit also stands for all bits below it. Rounding
 * such a mantissa of at least 55 bits to 53 is rounding the exact value. */
static uint64_t multiply(uint64_t digits, int k, int *shift) {
    wide product = (wide)digits * fives[k];
    uint64_t high = (uint64_t)(product >> 64);
    *shift = high ? 64 - __builtin_clzll(high) : 0;
    uint64_t mantissa = (uint64_t)(product >> *shift);
    return mantissa | (((wide)mantissa << *shift) != product);
}

/* digits / 5^k likewise: the quotient has 63 or 64 bits because digits is first scaled to
 * [2^63, 2^64) × 2^t with 2^t <= 5^k < 2^(t+1). */
static uint64_t divide(uint64_t digits, int k, int *shift) {
    int lead = __builtin_clzll(digits), t = 63 - __builtin_clzll(fives[k]);
    wide scaled = (wide)(digits << lead) << t;
    uint64_t quotient = (uint64_t)(scaled / fives[k]);
    *shift = -lead - t;
    return quotient | ((wide)quotient * fives[k] != scaled);
}

static bool convert_exact(const decimal *d, double *out) {
    if (labs(d->exponent) > EXACT_FIVE) return false;
    int k = (int)d->exponent, shift;
    uint64_t mantissa = k < 0 ? divide(d->digits, -k, &shift) : multiply(d->digits, k, &shift);
    *out = ldexp((double)mantissa, shift + k);
    return true;
}
#else
static bool convert_exact(const decimal *d, double *out) {
    (void)d, (void)out, (void)fives;
    return false;
}
#endif

static bool parse_word(const char *p, const char *end, double *out) {
    static const struct {
        const char *text;
        double value;
    } words[] = {{"nan", NAN}, {"na", NAN}, {"inf", INFINITY}, {"infinity", INFINITY}};
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    size_t length = (size_t)(end - p);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].text) != length || strncasecmp(p, words[i].text, length)) continue;
        *out = negative ? -words[i].value : words[i].value;
        return true;
    }
    return false;
}

bool io_number_parse(const char *text, size_t length, double *out) {
    decimal d = {0};
    if (!scan(text, text + length, &d)) return parse_word(text, text + length, out);
    if (d.digits == 0) {
        *out = d.negative ? -0.0 : 0.0;
        return true;
    }
    if (d.dropped || (!convert_small(&d, out) && !convert_exact(&d, out))) {
        *out = strtod(text, NULL);
    } else if (d.negative) {
        *out = -*out;
    }
    return true;
}

bool io_number_parse_comma(const char *text, size_t length, double *out) {
    char copy[IO_NUMBER_ROOM];
    if (length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *comma = memchr(copy, ',', length);
    if (!comma || memchr(copy, '.', length)) return false;
    *comma = '.';
    return io_number_parse(copy, length, out);
}

bool io_number_has_comma(const char *text, size_t length) {
    double ignored;
    return io_number_parse_comma(text, length, &ignored);
}

static size_t print_odd(char out[IO_NUMBER_ROOM], double value) {
    const char *word = isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    strcpy(out, word);
    return strlen(word);
}

size_t io_number_print(char out[IO_NUMBER_ROOM], double value) {
    if (!isfinite(value)) return print_odd(out, value);
    for (int digits = 15;; digits++) {
        int length = snprintf(out, IO_NUMBER_ROOM, "%.*g", digits, value);
        double back;
        if (digits == 17 || (io_number_parse(out, (size_t)length, &back) && back == value))
            return (size_t)length;
    }
}

/* Writes digits × 10^-places without trailing zeros; returns the length. */
static size_t print_fixed(char *out, uint64_t digits, int places, bool negative) {
    char text[IO_NUMBER_ROOM], *at = text + sizeof text;
    for (; places && digits % 10 == 0; places--) digits /= 10;
    for (int k = 0; k <= places || digits; k++, digits /= 10) {
        if (k && k == places) *--at = '.';
        *--at = (char)('0' + digits % 10);
    }
    if (negative) *--at = '-';
    size_t length = (size_t)(text + sizeof text - at);
    memcpy(out, at, length);
    out[length] = 0;
    return length;
}

#if FLT_EVAL_METHOD == 0
/* Writes digits × 10^-places, below 10^-4, as a mantissa and an exponent; returns the length. */
static size_t print_small(char *out, uint64_t digits, int places, bool negative) {
    char *at = out + negative;
    for (; digits % 10 == 0; places--) digits /= 10;
    uint64_t first = digits;
    int rest = 0;
    for (; first >= 10; rest++) first /= 10;
    if (negative) *out = '-';
    at += print_fixed(at, digits, rest, false);
    *at++ = 'e';
    *at++ = '-';
    *at++ = (char)('0' + (places - rest) / 10);
    *at++ = (char)('0' + (places - rest) % 10);
    *at = 0;
    return (size_t)(at - out);
}

#define EXACT_PLACES 12
#define UNSURE 1e-6

/* Writes the first of what %.6g to %.`most`g give that reads back, or the last; 0: not this value. Up to
 * EXACT_PLACES a float times a power of ten is an exact double (24 and 28 bits); beyond, a product that is
 * near the middle between two whole numbers is left. So the rounded quotient is what the text reads back as.
 */
static size_t print_plain(char *out, float value, int most) {
    static const double next[] = {1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3,
                                  1e-2,  1e-1,  1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6};
    double x = fabs((double)value);
    int exponent = -12;
    if (x == 0) return print_fixed(out, 0, 0, signbit(value));
    if (!(x >= 1e-12 && x < 1e6)) return 0;
    while (x >= next[exponent + 12]) exponent++;
    for (int digits = 6;; digits++) {
        int places = digits - 1 - exponent;
        double scaled = x * tens[places], whole = nearbyint(scaled);
        if (places > EXACT_PLACES && fabs(scaled - whole) > 0.5 - UNSURE) return 0;
        if (exponent == 5 && whole >= tens[digits]) return 0; /* it is rounded to 1e+06 */
        if (digits < most && (float)(whole / tens[places]) != (float)x) continue;
        bool small = exponent < -4 && whole < tens[places - 4];
        return small ? print_small(out, (uint64_t)whole, places, value < 0)
                     : print_fixed(out, (uint64_t)whole, places, value < 0);
    }
}
#else
static size_t print_plain(char *out, float value, int most) {
    (void)out, (void)value, (void)most;
    return 0;
}
#endif

size_t io_number_print_six(char out[IO_NUMBER_ROOM], float value) {
    if (!isfinite(value)) return print_odd(out, value);
    size_t plain = print_plain(out, value, 6);
    return plain ? plain : (size_t)snprintf(out, IO_NUMBER_ROOM, "%g", (double)value);
}

size_t io_number_print_float(char out[IO_NUMBER_ROOM], float value) {
    if (!isfinite(value)) return print_odd(out, value);
    size_t plain = print_plain(out, value, 9);
    if (plain) return plain;
    for (int digits = 6;; digits++) {
        int length = snprintf(out, IO_NUMBER_ROOM, "%.*g", digits, (double)value);
        double back;
        if (digits == 9 || (io_number_parse(out, (size_t)length, &back) && (float)back == value))
            return (size_t)length;
    }
}

bool io_number_is_rounded(const char *text, size_t length, double value, int64_t *out) {
    char copy[IO_NUMBER_ROOM];
    size_t sign = length && (*text == '-' || *text == '+'), end = length;
    while (end && text[end - 1] == '0') end--;
    if (end && end < length && text[end - 1] == '.') length = end - 1; /* 5.00 is 5 */
    if (!(fabs(value) >= 0x1p53) || length >= sizeof copy) return false;
    for (size_t i = sign; i < length; i++)
        if (text[i] < '0' || text[i] > '9') return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    errno = 0;
    *out = strtoll(copy, NULL, 10);
    if (errno) {
        *out = 0;
        return true;
    }
    return value >= 0x1p63 || (int64_t)value != *out;
}
