/** @file Runs through the past, frame by frame. */

/** Without a speed, the whole past takes so many seconds. */
const WHOLE_S = 30;

/**
 * Move on from the moment that is shown, until the end, or until it is stopped.
 * @param {import("./travel.js").Travel} travel
 */
export function replay(travel) {
  let last = performance.now();
  const frame = (/** @type {number} */ now) => {
    if (!travel.isPlaying || travel.ms === null) return;
    const speed = travel.speed || (travel.endMs - travel.beginMs) / WHOLE_S / 1000;
    // It waits where it is until the past has been read.
    travel.move(travel.ms + (travel.past.isLoaded ? Math.max(0, now - last) * speed : 0));
    last = now;
    if (travel.ms >= travel.endMs) travel.stop();
    else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
