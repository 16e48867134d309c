# What R says of dissimilarities: principal coordinates by cmdscale, and by vegan's wcmdscale and capscale; non-metric
# scaling by MASS's isoMDS and vegan's monoMDS. Data: vegan's dune, varespec, mite, BCI and sipoo; R's swiss and eurodist.
#
# From the root of this repository, with Debian's r-base-core, r-cran-vegan and r-cran-mass:
#
#     Rscript tests/python/golden/make_vegan.R
#
# It writes tests/python/golden/vegan.txt.gz: of each array a line with name, rows and columns, then a line a row.
# Versions are in its first line.
suppressMessages({library(vegan); library(MASS)})

out <- gzfile("tests/python/golden/vegan.txt.gz", "w")
put <- function(name, x, digits = 12) {
    x <- as.matrix(x)
    writeLines(paste(name, nrow(x), ncol(x)), out)
    writeLines(apply(x, 1, function(row) paste(signif(row, digits), collapse = " ")), out)
}
writeLines(paste("#", R.version.string, "vegan", packageVersion("vegan"), "MASS", packageVersion("MASS")), out)

# As ape's biplot.pcoa: variables projected onto standardized coordinates, over the roots of eigenvalues / (n - 1).
biplot_scores <- function(y, points, eig) {
    cov(y, scale(points)) %*% diag((eig / (nrow(points) - 1))^-0.5)
}

classical <- function(name, community) {
    d <- vegdist(community)
    k <- 4
    plain <- cmdscale(d, k, eig = TRUE)
    weighted <- wcmdscale(d, k, eig = TRUE)
    lingoes <- wcmdscale(d, k, eig = TRUE, add = "lingoes")
    cailliez <- wcmdscale(d, k, eig = TRUE, add = "cailliez")
    added <- cmdscale(d, k, eig = TRUE, add = TRUE)
    put(paste0(name, "/cmdscale/points"), plain$points)
    put(paste0(name, "/cmdscale/eig"), plain$eig)
    put(paste0(name, "/wcmdscale/points"), weighted$points[, 1:k])
    put(paste0(name, "/wcmdscale/eig"), weighted$eig)
    put(paste0(name, "/lingoes/points"), lingoes$points[, 1:k])
    put(paste0(name, "/lingoes/eig"), lingoes$eig)
    put(paste0(name, "/lingoes/constant"), lingoes$ac)
    put(paste0(name, "/cailliez/points"), cailliez$points[, 1:k])
    put(paste0(name, "/cailliez/eig"), cailliez$eig)
    put(paste0(name, "/cailliez/constant"), cailliez$ac)
    put(paste0(name, "/cmdscale add/points"), added$points)
    put(paste0(name, "/cmdscale add/constant"), added$ac)
    put(paste0(name, "/capscale/eig"), capscale(d ~ 1)$CA$eig[1:k])
    put(paste0(name, "/community"), community)
    put(paste0(name, "/biplot"), biplot_scores(community, plain$points, plain$eig[1:k]))
}

ordinal <- function(name, d) {
    put(paste0(name, "/d"), as.matrix(d))
    put(paste0(name, "/isoMDS"), isoMDS(d, k = 2, trace = FALSE, maxit = 500, tol = 1e-7)$stress / 100)
    put(paste0(name, "/monoMDS"), monoMDS(d, k = 2, maxit = 2000, sratmax = 0.9999999, sfgrmin = 1e-9)$stress)
    put(paste0(name, "/monoMDS secondary"),
        monoMDS(d, k = 2, maxit = 2000, sratmax = 0.9999999, sfgrmin = 1e-9, weakties = FALSE)$stress)
}

data(dune, varespec, mite, BCI, sipoo)
classical("dune", dune)
classical("varespec", varespec)
ordinal("dune", vegdist(dune))
ordinal("dune binary", vegdist(dune, "jaccard", binary = TRUE))
ordinal("varespec", vegdist(varespec))
ordinal("varespec kulczynski", vegdist(varespec, "kulczynski"))
ordinal("mite", vegdist(mite))
ordinal("mite binary", vegdist(mite, "jaccard", binary = TRUE))
ordinal("BCI", vegdist(BCI))
ordinal("sipoo", vegdist(sipoo, "jaccard", binary = TRUE))
ordinal("swiss", dist(as.matrix(swiss[, -1])))
ordinal("eurodist", eurodist)
close(out)
