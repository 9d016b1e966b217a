/** @file The canvas: a picture that is larger than the window, so that panning only moves it. */

import { draw, redraw } from "./draw.js";

const MARGIN = 240;
/** A picture that takes longer than this is stretched while the user zooms. */
const SLOW_MS = 14;
const SETTLED_MS = 120;

/** Draws on a canvas as rarely as possible. */
export class Surface {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
    this.back = document.createElement("canvas");
    this.backContext = /** @type {CanvasRenderingContext2D} */ (this.back.getContext("2d", { alpha: false }));
    this.width = this.height = 0;
    this.ratio = 1;
    this.drawn = this.pictures = 0;
    this.lastMs = 0;
    this.movedAt = 0;
    this.stamp = "";
    /** When a part was drawn over the picture, whose edges are not sharp since then; 0 if they are. */
    this.patchedAt = 0;
    this.held = { x: 0, y: 0, scale: 0 };
    this.background = "";
  }

  /** Follow the size of the element; whether it has changed. */
  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = window.devicePixelRatio || 1;
    if (width === this.width && height === this.height && ratio === this.ratio) return false;
    Object.assign(this, { width, height, ratio });
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.back.width = Math.round((width + 2 * MARGIN) * ratio);
    this.back.height = Math.round((height + 2 * MARGIN) * ratio);
    this.stamp = "";
    return true;
  }

  /**
   * Show the map; whether another frame is needed for a sharp picture.
   * @param {import("./camera.js").Camera} camera
   * @param {import("./draw.js").Picture} picture
   * @param {string} stamp changes when all of the picture does
   */
  show(camera, picture, stamp) {
    const { held } = this;
    const left = (camera.x - held.x) * held.scale;
    const top = (camera.y - held.y) * held.scale;
    const factor = camera.scale / held.scale;
    const isCovered = left >= 0 && top >= 0 && left + this.width / factor <= this.width + 2 * MARGIN
      && top + this.height / factor <= this.height + 2 * MARGIN;
    const isStill = stamp === this.stamp && isCovered && factor === 1;
    const isSame = isStill && this.patch(picture);
    const isStretched = !isSame && stamp === this.stamp && this.lastMs > SLOW_MS && factor !== 1
      && performance.now() - this.movedAt < SETTLED_MS;
    if (!isSame && !isStretched) this.paint(camera, picture, stamp);
    this.blit(camera);
    return isStretched;
  }

  /**
   * Draw what has changed over the picture that is there; whether that is enough.
   * @param {import("./draw.js").Picture} picture
   */
  patch(picture) {
    const { dirty, boxes } = picture.layout;
    if (!dirty || dirty.size > boxes.size / 2) return false;
    if (!dirty.size) return !this.patchedAt || performance.now() - this.patchedAt < SETTLED_MS;
    this.backContext.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const isDone = redraw(this.backContext, this.held, this.width + 2 * MARGIN, this.height + 2 * MARGIN, picture, dirty);
    dirty.clear();
    this.patchedAt = performance.now();
    this.pictures += 1;
    return isDone;
  }

  /** When the map should be drawn sharply, in milliseconds from now; 0 if it is. */
  get sharpIn() { return this.patchedAt ? Math.max(1, this.patchedAt + SETTLED_MS - performance.now()) : 0; }

  /** @param {import("./draw.js").Shown} camera @param {import("./draw.js").Picture} picture @param {string} stamp */
  paint(camera, picture, stamp) {
    const began = performance.now();
    this.held = { x: camera.x - MARGIN / camera.scale, y: camera.y - MARGIN / camera.scale, scale: camera.scale };
    this.backContext.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.drawn = draw(this.backContext, this.held, this.width + 2 * MARGIN, this.height + 2 * MARGIN, picture);
    this.stamp = stamp;
    this.patchedAt = 0;
    picture.layout.dirty = new Set();
    this.pictures += 1;
    this.lastMs = performance.now() - began;
    this.background = picture.parts.page;
  }

  /** @param {import("./camera.js").Camera} camera */
  blit(camera) {
    const { context, held, ratio } = this;
    const factor = camera.scale / held.scale;
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (factor !== 1) {
      context.fillStyle = this.background;
      context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    }
    context.drawImage(this.back, (held.x - camera.x) * camera.scale * ratio, (held.y - camera.y) * camera.scale * ratio,
      this.back.width * factor, this.back.height * factor);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /**
   * An outline around what is selected or under the pointer.
   * @param {import("./draw.js").Shown} camera @param {[number, number, number, number]} rectangle
   * @param {string} colour @param {number} thickness
   */
  outline(camera, [x, y, width, height], colour, thickness) {
    this.context.strokeStyle = colour;
    this.context.lineWidth = thickness;
    this.context.strokeRect((x - camera.x) * camera.scale - 1, (y - camera.y) * camera.scale - 1,
      width * camera.scale + 1, height * camera.scale + 1);
  }
}
