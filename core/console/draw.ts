// What draws: a quarter of all that a page loads, and the only part that reading the session, finding the screen and asking for its rows can do
// without. It comes last, while the rest is at work already.

export { createRoot } from 'react-dom/client'
