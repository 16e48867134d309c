// A chain of products and sums of floats or doubles; SALT only makes the source another one.
#if DOUBLES
#define NUMBER double
#else
#define NUMBER float
#endif

void kernel(uint group) {
    uint me = group * LOCAL + gl_LocalInvocationIndex;
    NUMBER x = NUMBER(me + uint(SALT)), y = NUMBER(factor);
    for (uint i = 0u; i < turns; i++) {
#repeat 4 x = x * y + NUMBER(@);
    }
    found_store(me, float(x));
}
