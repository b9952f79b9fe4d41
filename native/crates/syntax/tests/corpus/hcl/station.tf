# The machines of a tide station.
terraform {
  required_version = ">= 1.7"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.40"
    }
  }
}

provider "aws" {
  region = var.region
}

variable "region" {
  description = "Where the station's data is kept"
  type        = string
  default     = "eu-north-1"

  validation {
    condition     = startswith(var.region, "eu-")
    error_message = "Tide data stays in Europe."
  }
}

locals {
  name = "tide-${var.region}"
  tags = { service = "tide" }
}

data "aws_ami" "debian" {
  most_recent = true

  filter {
    name   = "name"
    values = ["debian-12-*"]
  }
}

/* Keeps the readings of the last ten years. */
resource "aws_s3_bucket" "readings" {
  bucket = "${local.name}-readings"
  tags   = merge(local.tags, { kind = "readings" })

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_instance" "api" {
  for_each      = toset(["north", "south"])
  ami           = data.aws_ami.debian.id
  instance_type = "t4g.small"
  user_data     = templatefile("${path.module}/boot.sh", { pier = each.key })
}

module "alarm" {
  source = "../modules/alarm"
  bucket = aws_s3_bucket.readings.arn
}

output "bucket_name" {
  // Used by the gauge's own configuration.
  value = aws_s3_bucket.readings.id
}
