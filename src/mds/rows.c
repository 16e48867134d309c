#include "mds/rows.h"

#include "base/memory.h"

static glshape_status make_source(run *run, const glshape_source *source, mds_rows *r) {
    r->source = *source;
    if (source->feeder) return mds_feed_all(run, source, &r->fed, &r->source);
    if (source->points || source->sparse)
        return mds_compare(run_error(run), source, &r->compared, &r->source);
    if (!source->graph) return GLSHAPE_OK;
    TRY(dist_paths_new(run_error(run), source->graph, 0, &r->paths));
    r->source.reader = dist_paths_read;
    r->source.user = r->paths;
    r->source.n = source->graph->nodes;
    r->source.graph = NULL;
    return GLSHAPE_OK;
}

glshape_status mds_rows_new(run *run, const glshape_source *source, mds_rows *r) {
    *r = (mds_rows){.paths = NULL};
    TRY(make_source(run, source, r));
    mds_check_reader(&r->checked, &r->source);
    r->reader = (dist_reader){.read = r->source.reader,
                              .user = r->source.user,
                              .n = (uint32_t)r->source.n,
                              .unit = 1,
                              .alone = r->paths != NULL};
    return GLSHAPE_OK;
}

void mds_rows_free(mds_rows *r) {
    mds_compared_free(&r->compared);
    mds_fed_free(&r->fed);
    dist_paths_free(r->paths);
}
