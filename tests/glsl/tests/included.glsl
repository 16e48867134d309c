float unused_function() { return 1.0; }
float another() { return 2.0; }
float third() { return 3.0; }
float fourth() { return 4.0; }
