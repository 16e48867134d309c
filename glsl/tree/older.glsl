// The older of two components {key, vertex, number, …}, which begin at vertices of such keys.
bool is_older(uvec4 a, uvec4 b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }
