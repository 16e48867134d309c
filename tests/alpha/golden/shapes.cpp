// Writes shapes.txt with CGAL 5.5 (Debian 12: libcgal-dev 5.5.1, g++ 12.2):
//   g++ -O2 -DNDEBUG shapes.cpp -o shapes -lgmp -lmpfr && ./shapes > shapes.txt
// 20 sets of whole coordinates. Each: "set n", n lines "x y", "alphas k" (number_of_alphas: the different squared radii
// of triangles and unattached edges), then lines "radius r general regularized": what each point is, a digit each
// (0 exterior, 1 singular, 2 regular, 3 interior; of a point that came before '-').
#include <CGAL/Alpha_shape_2.h>
#include <CGAL/Alpha_shape_face_base_2.h>
#include <CGAL/Alpha_shape_vertex_base_2.h>
#include <CGAL/Delaunay_triangulation_2.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Triangulation_vertex_base_with_info_2.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

typedef CGAL::Exact_predicates_inexact_constructions_kernel K;
typedef CGAL::Tag_true Exact;
typedef CGAL::Alpha_shape_vertex_base_2<K, CGAL::Triangulation_vertex_base_with_info_2<int, K>, Exact> Vb;
typedef CGAL::Alpha_shape_face_base_2<K, CGAL::Triangulation_face_base_2<K>, Exact> Fb;
typedef CGAL::Delaunay_triangulation_2<K, CGAL::Triangulation_data_structure_2<Vb, Fb>> Triangulation;
typedef CGAL::Alpha_shape_2<Triangulation, Exact> Shape;

int main() {
    srand(7);
    for (int set = 0; set < 20; set++) {
        int n = 40, side = set % 2 ? 12 : 1000;
        Triangulation t;
        printf("set %d\n", n);
        for (int i = 0; i < n; i++) {
            int x = rand() % side, y = rand() % side;
            size_t before = t.number_of_vertices();
            auto v = t.insert(K::Point_2(x, y));
            if (t.number_of_vertices() > before) v->info() = i;
            printf("%d %d\n", x, y);
        }
        Shape s(t, 0, Shape::GENERAL);
        printf("alphas %zu\n", s.number_of_alphas());
        for (double r = side / 32.0; r < side; r *= 1.5) {
            double radius = double(int(r * 8)) / 8;
            printf("radius %g", radius);
            for (int regularized = 0; regularized < 2; regularized++) {
                std::string digits(n, '-');
                s.set_mode(regularized ? Shape::REGULARIZED : Shape::GENERAL);
                s.set_alpha(Shape::Type_of_alpha(radius * radius));
                for (auto v = s.finite_vertices_begin(); v != s.finite_vertices_end(); ++v) {
                    auto c = s.classify(Shape::Vertex_handle(v));
                    digits[v->info()] = c == Shape::EXTERIOR   ? '0'
                                        : c == Shape::SINGULAR ? '1'
                                        : c == Shape::REGULAR  ? '2'
                                                               : '3';
                }
                printf(" %s", digits.c_str());
            }
            printf("\n");
        }
    }
    fflush(stdout);
    _Exit(0);
}
