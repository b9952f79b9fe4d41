job "gauge" {
  datacenters = ["pier"]

  group "readers" {
    count = 2

    task "reader" {
      driver = "docker"

      config {
        image = "ghcr.io/example/gauge:2.1"
      }
    }
  }
}
