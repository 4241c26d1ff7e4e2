// Position of a picture's pixel in memory: color::Rotation (color/blit.h).

uvec2 turnedPlace(uvec2 at, uvec2 extent, uint rotation) {
  switch (rotation) {
    case 1u: return uvec2(at.y, extent.x - 1u - at.x);
    case 2u: return extent - 1u - at;
    case 3u: return uvec2(extent.y - 1u - at.y, at.x);
    default: return at;
  }
}
