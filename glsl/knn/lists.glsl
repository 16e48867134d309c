// The state of the lists of a group's points: with SIDES 1 of the rows; with 2 of the rows, then of the columns.
shared uint counts[TILE * uint(SIDES)];
shared int limits[TILE * uint(SIDES)];
shared uint full, due_count;
shared uvec2 due[TILE * uint(SIDES)]; // places in counts, elements of list
