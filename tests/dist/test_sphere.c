/* The chord of a distance on a sphere: the greatest number whose distance is within it, on any sphere. */
#include <math.h>

#include "dist/sphere.h"
#include "suites.h"

Suite *dist_sphere_suite(void);

START_TEST(test_chord) {
    static const double radii[] = {1e-300, 1e-10, 1, 6371.0088, 1e300},
                        angles[] = {0, 0x1p-1074, 1e-300, 1e-8, 1, 3, 3.1415926};
    double radius = radii[_i];
    for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
        double distance = radius * angles[k], chord = dist_sphere_chord(radius, distance);
        ck_assert_msg(dist_sphere_distance(radius, chord) <= distance, "%g: %g", distance, chord);
        ck_assert_msg(dist_sphere_distance(radius, nextafter(chord, 4)) > distance, "%g: %g", distance,
                      chord);
    }
    ck_assert(dist_sphere_chord(radius, radius * 3.2) == 4);
}
END_TEST

Suite *dist_sphere_suite(void) {
    Suite *s = suite_create("dist/sphere");
    TCase *c = tcase_create("chord");
    suite_add_tcase(s, c);
    tcase_add_loop_test(c, test_chord, 0, 5);
    return s;
}
