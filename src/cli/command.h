/* The commands. Each takes its own argv (argv[0] is its name) and the whole command line as typed, and
 * returns the exit code. */
#ifndef GLSHAPE_CLI_COMMAND_H
#define GLSHAPE_CLI_COMMAND_H

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

int command_atlas(int argc, char **argv, const char *command_line);
int command_alpha(int argc, char **argv, const char *command_line);
int command_cubical(int argc, char **argv, const char *command_line);
int command_delaunay(int argc, char **argv, const char *command_line);
int command_devices(int argc, char **argv, const char *command_line);
int command_hdbscan(int argc, char **argv, const char *command_line);
int command_knn(int argc, char **argv, const char *command_line);
int command_linkage(int argc, char **argv, const char *command_line);
int command_mds(int argc, char **argv, const char *command_line);
int command_mergetree(int argc, char **argv, const char *command_line);
int command_compare(int argc, char **argv, const char *command_line);
int command_mst(int argc, char **argv, const char *command_line);
int command_pack(int argc, char **argv, const char *command_line);
int command_pcoa(int argc, char **argv, const char *command_line);
int command_rips(int argc, char **argv, const char *command_line);
int command_vectors(int argc, char **argv, const char *command_line);

/* All commands, in the order of 'glshape --help', which shows help beside the name. */
typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv, const char *command_line);
    const char *help;
} command;
extern const command commands[];
extern const int command_count;

#endif
