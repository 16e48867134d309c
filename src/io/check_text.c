#include "io/npy.h"
#include "io/text.h"

glshape_status io_check_text(error *err, const io_stream *s) {
    static const struct {
        const char *magic;
        size_t count;
        const char *what, *remedy;
    } known[] = {
        {IO_NPY_MAGIC, 6, "a .npy file", "read it with --format npy"},
        {"\x1f\x8b", 2, "gzip inside gzip", "decompress it once"},
        {"PK\x03\x04", 4, "a zip archive (.npz, .xlsx)",
         "save one array with numpy.save('x.npy', numpy.load(file)['name'])"},
        {"\x89HDF", 4, "an HDF5 file", "save the data set with numpy.save"},
        {"\x89PNG", 4, "a PNG picture", "save its values with numpy.save"},
        {"PAR1", 4, "a Parquet file", "save the table as .csv"},
        {"\x80", 1, "a Python pickle", "save the array with numpy.save"},
        {"BZh", 3, "compressed with bzip2", "decompress it, or compress it with gzip"},
        {"\xfd"
         "7zXZ",
         5, "compressed with xz", "decompress it, or compress it with gzip"},
        {"\x28\xb5\x2f\xfd", 4, "compressed with zstd", "decompress it, or compress it with gzip"},
        {"\xff\xfe", 2, "text in UTF-16", "save it as UTF-8"},
        {"\xfe\xff", 2, "text in UTF-16", "save it as UTF-8"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (io_stream_starts(s, known[i].magic, known[i].count))
            return fail(err, GLSHAPE_BAD_INPUT, "%s is %s, not text: %s", s->name, known[i].what,
                        known[i].remedy);
    }
    return GLSHAPE_OK;
}
