#include <string.h>

#include "io/npy.h"
#include "io/text.h"

/* A format that is no text. The remedy is a line that converts it; %s is the file. */
typedef struct binary {
    const char *magic;
    size_t count;
    const char *what, *remedy;
} binary;

#define PYTHON(line) "convert it: python3 -c \"" line "\""

#define A_FIELD "it is a field, which cubical and mergetree read"

static const binary known[] = {
    {IO_NPY_MAGIC, 6, "a .npy file", "read it with --format npy"},
    {"\x1f\x8b", 2, "gzip inside gzip", "decompress it once"},
    {"\x89HDF", 4, "an HDF5 or NetCDF file",
     PYTHON("import h5py, numpy; numpy.save('NAME.npy', h5py.File('%s')['NAME'][()])") ", NAME being a data "
                                                                                       "set, as "
                                                                                       "h5ls lists them"},
    {"CDF\1", 4, "a NetCDF file",
     PYTHON("import numpy, scipy.io; numpy.save('NAME.npy', scipy.io.netcdf_file('%s', "
            "mmap=False).variables['NAME'].data)") ", NAME being a variable, as ncdump -h lists them"},
    {"CDF\2", 4, "a NetCDF file",
     PYTHON("import numpy, scipy.io; numpy.save('NAME.npy', scipy.io.netcdf_file('%s', "
            "mmap=False).variables['NAME'].data)") ", NAME being a variable, as ncdump -h lists them"},
    {"MATLAB 7.3 MAT-f", 16, "a file of MATLAB's",
     PYTHON("import h5py, numpy; numpy.save('NAME.npy', h5py.File('%s')['NAME'][()].T)") ", NAME being a "
                                                                                         "variable"},
    {"MATLAB 5.0 MAT-f", 16, "a file of MATLAB's",
     PYTHON("import scipy.io, numpy; numpy.save('NAME.npy', scipy.io.loadmat('%s')['NAME'])") ", NAME being "
                                                                                              "a variable"},
    {"\x89PNG", 4, "a PNG picture", "save its values with numpy.save"},
    {"\x5c\1\0\0", 4, "a NIfTI volume", A_FIELD},
    {"\0\0\1\x5c", 4, "a NIfTI volume", A_FIELD},
    {"II*\0", 4, "a TIFF picture", A_FIELD},
    {"MM\0*", 4, "a TIFF picture", A_FIELD},
    {"NRRD000", 7, "an NRRD volume", A_FIELD},
    {"# vtk DataFile ", 15, "a file of VTK", A_FIELD},
    {"PAR1", 4, "a Parquet file",
     PYTHON("import pandas; pandas.read_parquet('%s').to_csv('table.csv', index=False)")},
    {"\xd0\xcf\x11\xe0", 4, "a file of Excel (.xls)",
     PYTHON("import pandas; pandas.read_excel('%s').to_csv('table.csv', index=False)")},
    {"\x80", 1, "a Python pickle", "save the array with numpy.save"},
    {"BZh", 3, "compressed with bzip2", "decompress it, or compress it with gzip"},
    {"\xfd"
     "7zXZ",
     5, "compressed with xz", "decompress it, or compress it with gzip"},
    {"\x28\xb5\x2f\xfd", 4, "compressed with zstd", "decompress it, or compress it with gzip"},
    {"\xff\xfe", 2, "text in UTF-16", "save it as UTF-8"},
    {"\xfe\xff", 2, "text in UTF-16", "save it as UTF-8"},
};

static glshape_status refuse(error *err, const io_stream *s, const char *what, const char *remedy) {
    const char *at = strstr(remedy, "%s");
    bool plain = s->fd > 0 && !strpbrk(s->name, "'\"\\$`"); /* what the line can hold */
    if (!at) return fail(err, GLSHAPE_BAD_INPUT, "%s is %s, not text: %s", s->name, what, remedy);
    return fail(err, GLSHAPE_BAD_INPUT, "%s is %s, not text: %.*s%s%s", s->name, what, (int)(at - remedy),
                remedy, plain ? s->name : "FILE", at + 2);
}

/* A zip archive is a file of Excel, LibreOffice or numpy: its first member tells. */
glshape_status io_check_office(error *err, const io_stream *s) {
    static const char *const members[] = {"[Content_Types].xml", "_rels/", "xl/", "docProps/", "mimetype"};
    const char *name = s->window + s->at + 30; /* behind the member's header */
    for (size_t i = 0; i < sizeof members / sizeof *members && io_stream_starts(s, "PK\3\4", 4); i++)
        if (s->have >= 30 + strlen(members[i]) && !memcmp(name, members[i], strlen(members[i])))
            return refuse(err, s, "a file of Excel or LibreOffice",
                          PYTHON("import pandas; pandas.read_excel('%s').to_csv('table.csv', index=False)"));
    return GLSHAPE_OK;
}

glshape_status io_check_text(error *err, const io_stream *s) {
    TRY(io_check_office(err, s));
    if (io_stream_starts(s, "PK\3\4", 4))
        return refuse(
            err, s, "a zip archive (.npz)",
            "a sparse matrix of scipy is read as a graph, as documents and by rips --format sparse; save one "
            "array with numpy.save('x.npy', numpy.load(file)['name'])");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (io_stream_starts(s, known[i].magic, known[i].count))
            return refuse(err, s, known[i].what, known[i].remedy);
    return GLSHAPE_OK;
}
