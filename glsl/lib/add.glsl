// Adds a term to a sum of two parts; what rounding takes from the first is added to the second (Knuth's TwoSum).
void add(inout vec4 high, inout vec4 low, vec4 term) {
    precise vec4 sum = high + term, v = sum - high, left = low + ((high - (sum - v)) + (term - v));
    low = left;
    high = sum;
}
