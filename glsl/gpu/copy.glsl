// Calibration: one texel in, one texel out.
void kernel(uint e) { target = source(e); }
