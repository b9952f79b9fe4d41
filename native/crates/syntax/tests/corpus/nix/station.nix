# A tide station as a NixOS module and a package.
{ config, lib, pkgs, ... }:

with lib;

let
  cfg = config.services.tide;

  # Turns metres above datum to centimetres.
  toCentimetres = level: level * 100;

  mkUnit = { name, port ? 8080, extraArgs ? [ ] }: {
    description = "Tide station ${name}";
    serviceConfig.ExecStart = "${tide-server}/bin/tide-server --port ${toString port}";
  };

  tide-server = pkgs.rustPlatform.buildRustPackage rec {
    pname = "tide-server";
    version = "2.1.0";
    src = pkgs.fetchFromGitHub {
      owner = "example";
      repo = pname;
      rev = "v${version}";
      sha256 = lib.fakeSha256;
    };
    buildInputs = [ pkgs.openssl pkgs.sqlite ];
    postInstall = ''
      install -Dm644 page/index.html $out/share/tide/index.html
    '';
  };

  palette = rec {
    water = "#0b5d7a";
    foam = water;
  };

  stations = import ./stations.nix { inherit lib; };
in
{
  imports = [
    ./gauge.nix
    ../common/alerts.nix
  ];

  options.services.tide = {
    enable = mkEnableOption "the tide station";

    port = mkOption {
      type = types.port;
      default = 8080;
      description = "Where the server listens.";
    };
  };

  config = mkIf cfg.enable {
    systemd.services = mapAttrs (name: station: mkUnit { inherit name; port = cfg.port; }) stations;

    users.users.tide = {
      isSystemUser = true;
      group = "tide";
    };

    networking.firewall.allowedTCPPorts = optional (cfg.port != null) cfg.port;
  };
}
