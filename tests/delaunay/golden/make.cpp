// Makes triangulations.txt with CGAL, for tests/delaunay. In this folder (CGAL 5.5.1, Debian libcgal-dev 5.5.1-2):
//   g++ -O2 make.cpp -o make -lgmp -lmpfr && ./make coast.txt >triangulations.txt && rm make
// coast.txt: every 98th point of the coast of Great Britain of CIA World Data Bank II (public domain).
//
// For each set: "set NAME points edges", the points (hexadecimal floats), and the edges that every Delaunay
// triangulation of them has: those whose two triangles have different circles, and those of the hull.
#include <CGAL/Delaunay_triangulation_2.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Triangulation_vertex_base_with_info_2.h>
#include <CGAL/version.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

typedef CGAL::Exact_predicates_inexact_constructions_kernel kernel;
typedef CGAL::Triangulation_vertex_base_with_info_2<unsigned, kernel> vertex;
typedef CGAL::Delaunay_triangulation_2<kernel, CGAL::Triangulation_data_structure_2<vertex>> delaunay;
typedef std::vector<kernel::Point_2> points;

static void write(const char *name, const points &p) {
    std::vector<std::pair<kernel::Point_2, unsigned>> named;
    for (unsigned i = 0; i < p.size(); i++) named.emplace_back(p[i], i);
    delaunay t(named.begin(), named.end());
    std::vector<std::pair<unsigned, unsigned>> edges;
    for (auto e = t.finite_edges_begin(); e != t.finite_edges_end(); ++e) {
        auto a = e->first->vertex(t.cw(e->second)), b = e->first->vertex(t.ccw(e->second));
        auto m = t.mirror_edge(*e);
        bool hull = t.is_infinite(e->first) || t.is_infinite(m.first);
        if (!hull && t.side_of_oriented_circle(e->first, m.first->vertex(m.second)->point()) == CGAL::ON_ORIENTED_BOUNDARY)
            continue;
        edges.emplace_back(std::min(a->info(), b->info()), std::max(a->info(), b->info()));
    }
    std::sort(edges.begin(), edges.end());
    printf("set %s %zu %zu\n", name, p.size(), edges.size());
    for (auto &q : p) printf("%a %a\n", q.x(), q.y());
    for (auto &e : edges) printf("%u %u\n", e.first, e.second);
}

int main(int argc, char **argv) {
    printf("# CGAL %s\n", CGAL_VERSION_STR);
    std::mt19937_64 random(20261121);
    std::uniform_real_distribution<double> unit(0, 1);
    points p;
    for (int i = 0; i < 200; i++) p.emplace_back(unit(random), unit(random));
    write("uniform", p);
    p.clear();
    for (int i = 0; i < 300; i++) {
        kernel::Point_2 q(double(random() % 24), double(random() % 24));
        if (std::find(p.begin(), p.end(), q) == p.end()) p.push_back(q);
    }
    write("integers", p);
    p.clear();
    for (int i = 0; i < 150; i++) p.emplace_back(unit(random) + (i & 1) * 1e12, unit(random));
    write("clusters", p);
    p.clear();
    for (int i = 0; i < 200; i++) {
        double a = 2 * M_PI * unit(random);
        p.emplace_back(std::cos(a), std::sin(a));
    }
    write("circle", p);
    p.clear();
    if (FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL) {
        double x, y;
        while (fscanf(f, "%lf %lf", &x, &y) == 2) p.emplace_back(x, y);
        fclose(f);
    }
    write("coast", p);
}
