# Builds the command, the library and the Python package of this checkout: nix-build tools/packaging
# EGL and OpenGL are those of the machine: on NixOS /run/opengl-driver, elsewhere through nixGL.
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "glshape";
  version = "0.2.0";
  src = pkgs.lib.cleanSource ../..;

  nativeBuildInputs = [ pkgs.pkg-config pkgs.python3 ];
  buildInputs = [ pkgs.libepoxy pkgs.libGL pkgs.libpng pkgs.zlib pkgs.gmp ];
  propagatedBuildInputs = [ pkgs.python3Packages.numpy pkgs.python3Packages.cffi ];

  postPatch = "patchShebangs tools";
  makeFlags = [ "CC=${pkgs.stdenv.cc.targetPrefix}cc" ];
  buildFlags = [ "all" ];
  installFlags = [ "PREFIX=${placeholder "out"}" "PYTHON=${pkgs.python3}/bin/python3" ];

  # Three points on the processors: no device is opened.
  doInstallCheck = true;
  installCheckPhase = ''
    printf '0,0\n0,1\n5,5\n' | $out/bin/glshape knn - -k 1 -o -
  '';

  meta = {
    description = "The shape of data on any GPU with OpenGL 4.3";
    license = pkgs.lib.licenses.mit;
    platforms = pkgs.lib.platforms.linux;
    mainProgram = "glshape";
  };
}
