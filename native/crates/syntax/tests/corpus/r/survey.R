# Analysis of a survey.
library(dplyr)
require("ggplot2")
requireNamespace("jsonlite")
source("R/helpers.R")

MAX_AGE <- 99
default_weights = c(young = 1.2, old = 0.8)
.cache <- new.env()

#' Reads a survey.
#'
#' @param path Where it lies.
#' @return A data frame.
#' @export
read_survey <- function(path, encoding = "UTF-8") {
  raw <- utils::read.csv(path, fileEncoding = encoding)
  clean <- raw |>
    filter(age < MAX_AGE) |>
    mutate(group = cut_age(age))
  validate <- function(rows) stopifnot(nrow(rows) > 0)
  validate(clean)
  structure(clean, class = c("survey", "data.frame"))
}

cut_age = function(age) {
  ifelse(age < 30, "young", "old")
}

# A method of S3.
print.survey <- function(x, ...) {
  cat("survey of", nrow(x), "\n")
  invisible(x)
}

weigh <- \(x) x * default_weights[["young"]]

`%+%` <- function(a, b) paste0(a, b)

setClass("Panel", representation(waves = "list"), contains = "Survey")

setGeneric("summarise_panel", function(object) standardGeneric("summarise_panel"))

setMethod("summarise_panel", "Panel", function(object) {
  lapply(object@waves, summary)
})

Account <- R6::R6Class("Account",
  inherit = Base,
  public = list(
    owner = NULL,
    initialize = function(owner) {
      self$owner <- owner
    },
    deposit = function(amount) {
      private$log(amount)
      invisible(self)
    }
  ),
  private = list(
    log = function(amount) message(amount)
  )
)

main <- function() {
  survey <- read_survey("data/survey.csv")
  plot <- ggplot2::ggplot(survey, aes(age, income)) + geom_point()
  account <- Account$new("me")
  account$deposit(5)
  print(plot)
}

if (interactive()) main()
