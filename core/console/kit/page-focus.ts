// After a navigation the new page's h1 takes the focus, so that a screen reader starts there. Not at the first load, where the browser
// has its own order.

let waiting = false
let first = true

export const focusState = {
  navigated(): void {
    waiting = !first
    first = false
  },
  /** True once for each navigation. */
  take(): boolean {
    const taken = waiting
    waiting = false
    return taken
  },
}
