/** @file The colour of words on a coloured ground: dark or light, whichever can be read better. */

const DARK_INK = "#10161f";
const LIGHT_INK = "#ffffff";
/** @type {Map<string, string>} */
const known = new Map();

/**
 * The colour of words on a ground, which is "#rrggbb" or "hsl(h s% l%)".
 * @param {string} ground
 */
export function inkOn(ground) {
  let ink = known.get(ground);
  if (ink === undefined) {
    const light = luminance(ground) + 0.05;
    ink = light / (luminance(DARK_INK) + 0.05) >= 1.05 / light ? DARK_INK : LIGHT_INK;
    known.set(ground, ink);
  }
  return ink;
}

/**
 * The relative luminance of WCAG 2.
 * @param {string} colour
 */
function luminance(colour) {
  const [red, green, blue] = (colour.startsWith("#") ? ofHex(colour) : ofHsl(colour))
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {string} colour */
const ofHex = (colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);

/** @param {string} colour */
function ofHsl(colour) {
  const [hue, saturation, lightness] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  const reach = (saturation / 100) * Math.min(lightness, 100 - lightness) / 100;
  return [0, 8, 4].map((offset) => {
    const turn = (offset + hue / 30) % 12;
    return lightness / 100 - reach * Math.max(-1, Math.min(turn - 3, 9 - turn, 1));
  });
}
