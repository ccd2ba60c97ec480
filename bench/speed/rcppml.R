# RcppML's nmf on the samples of a folder: rcppml.R version, or rcppml.R fit FOLDER RANK.
# Writes components and weights as raw numbers, row by row, to FOLDER/rcppml, and prints JSON.

suppressMessages({
  library(Matrix)
  library(RcppML)
})
arguments <- commandArgs(trailingOnly = TRUE)

if (arguments[1] == "version") {
  cat(sprintf('{"version": "%s"}\n', packageVersion("RcppML")))
  quit()
}

folder <- arguments[2]
rank <- as.integer(arguments[3])

# The numbers of a .npy file and its header, whose length is in the last two of the first ten bytes.
contents <- function(name, what, size) {
  path <- file.path(folder, paste0(name, ".npy"))
  file <- file(path, "rb")
  on.exit(close(file))
  preamble <- as.integer(readBin(file, "raw", 10))
  described <- preamble[9] + 256L * preamble[10]
  description <- rawToChar(readBin(file, "raw", described))
  numbers <- readBin(file, what, (file.size(path) - 10 - described) / size, size = size, endian = "little")
  list(numbers = numbers, description = description)
}

# RcppML expects features × samples in column order, which is samples × features in row order.
if (file.exists(file.path(folder, "dense.npy"))) {
  dense <- contents("dense", "double", 8)
  shape <- as.integer(regmatches(dense$description, gregexpr("[0-9]+(?=[,)])", dense$description, perl = TRUE))[[1]])
  samples <- matrix(dense$numbers, nrow = shape[2], ncol = shape[1])
} else {
  shape <- contents("shape", "integer", 8)$numbers
  samples <- new("dgCMatrix", i = contents("indices", "integer", 4)$numbers, p = contents("indptr", "integer", 8)$numbers,
                 x = contents("data", "double", 8)$numbers, Dim = shape[2:1])
}

setRcppMLthreads(0)
started <- proc.time()[["elapsed"]]
model <- nmf(samples, rank, seed = 1, verbose = FALSE)
seconds <- proc.time()[["elapsed"]] - started

out <- file.path(folder, "rcppml")
dir.create(out, showWarnings = FALSE)
writeBin(as.vector(model$w), file.path(out, "components.raw"), size = 8)
writeBin(as.vector(model$h * model$d), file.path(out, "weights.raw"), size = 8)
cat(sprintf('{"seconds": %f, "iterations": %d}\n', seconds, as.integer(model$iter)))
