// What a group knows of the lists of its points: SIDES 1: of the rows; 2: of the rows, then of the columns.
shared uint counts[TILE * uint(SIDES)];
shared int limits[TILE * uint(SIDES)];
shared uint full, due_count;
shared uvec2 due[TILE * uint(SIDES)]; // places in counts, elements of list
