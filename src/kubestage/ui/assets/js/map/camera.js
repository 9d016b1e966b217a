/** @file Which part of the map is seen, and how large. */

const CLOSEST = 40;

/** A view of the map: the world point in the upper left corner, and pixels for each unit. */
export class Camera {
  constructor() {
    this.x = this.y = 0;
    this.scale = 1;
    this.least = 0.01;
    /** Whether all is shown, until the user moves. */
    this.isFitted = true;
  }

  /** @param {{width: number, height: number}} world @param {number} width @param {number} height */
  fit(world, width, height) {
    const margin = 12;
    const scale = Math.min((width - 2 * margin) / (world.width || 1), (height - 2 * margin) / (world.height || 1));
    this.least = Math.max(scale, 0.001) / 2;
    if (!this.isFitted) return;
    // A handful of nodes does not fill the window.
    this.scale = Math.max(0.001, Math.min(scale, 2.2));
    this.x = (world.width - width / this.scale) / 2;
    this.y = world.height * this.scale < height / 2 ? -margin / this.scale : (world.height - height / this.scale) / 2;
  }

  /** @param {number} px @param {number} py @param {number} factor */
  zoom(px, py, factor) {
    const scale = Math.min(CLOSEST, Math.max(this.least, this.scale * factor));
    this.x += px / this.scale - px / scale;
    this.y += py / this.scale - py / scale;
    this.scale = scale;
    this.isFitted = false;
  }

  /** @param {number} dx @param {number} dy in pixels */
  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.isFitted = false;
  }

  /**
   * Show a box in the middle, if it is out of sight.
   * @param {{x: number, y: number, side: number}} box @param {number} width @param {number} height
   */
  reveal(box, width, height) {
    const x = (box.x - this.x) * this.scale;
    const y = (box.y - this.y) * this.scale;
    const side = box.side * this.scale;
    if (x >= 0 && y >= 0 && x + side <= width && y + side <= height) return;
    this.x = box.x + box.side / 2 - width / 2 / this.scale;
    this.y = box.y + box.side / 2 - height / 2 / this.scale;
    this.isFitted = false;
  }
}
