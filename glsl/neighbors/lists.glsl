// The state of the lists of a block of 128 points. progress has three texels of each point: how many candidates are in its
// list, the bits of its limit, and the point that has this sum.
//   CAPACITY 128, 256, 512: room for a point's candidates
shared uint counts[TILE];
shared int limits[TILE];
shared uint full, due_count;
shared uvec2 due[TILE]; // places in counts, elements of list
