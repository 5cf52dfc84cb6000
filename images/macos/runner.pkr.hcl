# The image of macOS runner Pods: a virtual machine for Tart that polls for a job as soon as it has started, runs it, and
# powers itself off. Built on a Mac: see images/README.md.
packer {
  required_plugins {
    tart = {
      source  = "github.com/cirruslabs/tart"
      version = "1.16.0"
    }
  }
}

variable "base_image" {
  type        = string
  description = "A virtual machine with macOS and Xcode, pinned by its digest."
  validation {
    condition     = can(regex("@sha256:[0-9a-f]{64}$", var.base_image))
    error_message = "The base_image must end in @sha256: and its digest."
  }
}

variable "vm_name" {
  type    = string
  default = "tuist-runner"
}

variable "runner_version" {
  type    = string
  default = "2.336.0"
}

variable "runner_sha256" {
  type        = string
  description = "Digest of actions-runner-osx-arm64 of that version, from its release page."
  validation {
    condition     = can(regex("^[0-9a-f]{64}$", var.runner_sha256))
    error_message = "The runner_sha256 must be 64 hexadecimal digits."
  }
}

variable "ssh_username" {
  type        = string
  default     = "admin"
  description = "The user of the base image that the build logs in as. Its password is random afterwards, and SSH is off."
}

variable "ssh_password" {
  type      = string
  default   = "admin"
  sensitive = true
}

source "tart-cli" "runner" {
  vm_base_name = var.base_image
  vm_name      = var.vm_name
  # The size of the build machine. A runner gets the size of its Pod.
  cpu_count    = 4
  memory_gb    = 8
  headless     = true
  ssh_username = var.ssh_username
  ssh_password = var.ssh_password
  ssh_timeout  = "180s"
}

build {
  sources = ["source.tart-cli.runner"]

  provisioner "shell" {
    inline = ["mkdir -p /tmp/tuist"]
  }

  provisioner "file" {
    sources = [
      "${path.root}/../../src/guest/guest.sh",
      "${path.root}/../../src/guest/inject-env",
      "${path.root}/../../src/guest/cluster-dns",
      "${path.root}/../../src/guest/mac-session",
      "${path.root}/../../src/guest/dispatch-poll",
      "${path.root}/../../src/guest/run-runner",
      "${path.root}/../../src/guest/job-started.sh",
      "${path.root}/dev.tuist.runner.plist",
    ]
    destination = "/tmp/tuist/"
  }

  provisioner "shell" {
    script          = "${path.root}/install.sh"
    execute_command = "chmod +x {{ .Path }}; sudo {{ .Vars }} {{ .Path }}"
    environment_vars = [
      "RUNNER_VERSION=${var.runner_version}",
      "RUNNER_SHA256=${var.runner_sha256}",
      "BUILD_USER=${var.ssh_username}",
    ]
  }
}
