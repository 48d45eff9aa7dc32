// The agent's own page: who drives the cards, which readers there are, the code to pair it, and what is wrong. Plain HTML without scripts.

import type { AgentState } from './state.ts'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const html = (text: string) => text.replace(/[&<>"']/g, (letter) => escapes[letter] ?? letter)

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color:#1b1f24;background:#fff}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}code{font-size:1.6rem;letter-spacing:.15em}dt{font-weight:600}dd{margin:0 0 .5rem}dd,pre{overflow-wrap:anywhere}pre{white-space:pre-wrap;background:#f3f4f6;padding:1rem}@media(prefers-color-scheme:dark){body{color:#e6e8eb;background:#16181b}pre{background:#24272b}}'

export function statusPage(state: AgentState, version: string): string {
  const { origin, link, readers, printers, trouble, activity } = state
  const connection =
    link.person !== ''
      ? `<p>Connected. <strong>${html(link.person)}</strong> drives the cards in these readers, from ${html(origin)}.</p>`
      : link.code !== ''
        ? `<p>Connected to ${html(origin)}, to nobody yet. To use the readers of this machine, type this code there, at the card desk or on My smartcards, under “Connect by a code”:</p><p><code>${html(link.code)}</code></p><p>It is good for ten minutes; then another one stands here. In a browser on this machine “Connect this machine” does it without a code.</p>`
        : `<p>Not connected to ${html(origin)}. ${html(link.why === '' ? 'It is being asked for a code.' : link.why)}</p><p>Once the server answers, a code to connect by stands here.</p>`
  const list =
    readers.length === 0
      ? '<p>No reader.</p>'
      : `<dl>${readers
          .map(
            ({ name, atr, isVirtual }) =>
              `<dt>${html(name)}${isVirtual ? ' (software)' : ''}</dt><dd>${atr === '' ? 'empty' : `card, ATR ${html(atr)}`}</dd>`,
          )
          .join('')}</dl>`
  const atPrinters =
    printers.length === 0
      ? '<p>No printer. Start the client with --printer NAME=ADDRESS to add one.</p>'
      : `<ul>${printers.map(({ name, isVirtual }) => `<li>${html(name)}${isVirtual ? ' (software)' : ''}</li>`).join('')}</ul>`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="5"><title>Chancery security client</title><style>${style}</style></head><body><h1>Chancery security client ${html(version)}</h1>${connection}${activity === '' ? '' : `<p>Now: ${html(activity)}</p>`}<h2>Readers</h2>${list}<h2>Printers</h2>${atPrinters}<h2>Report</h2><p>For whoever helps you. It holds no PIN and no key.</p><pre>${html(report(state, version, trouble))}</pre></body></html>`
}

/** What a helper needs to know, step by step from the driver to the server. */
function report({ origin, link, readers, printers, driver, diagnosis }: AgentState, version: string, trouble: string): string {
  return [
    `client ${version}, ${process.platform} ${process.arch}, node ${process.versions.node}`,
    `driver: ${driver}`,
    ...readers.map(({ name, atr }) => `reader: ${name}: ${atr === '' ? 'no card' : atr}`),
    ...printers.map(({ name }) => `printer: ${name}`),
    ...diagnosis.flatMap(({ reader, applet, failed }) => [
      `applet: ${reader}: ${applet === '' ? 'none was found' : applet}`,
      `step that failed: ${reader}: ${failed === '' ? 'none' : failed}`,
    ]),
    `server: ${origin}: ${link.person === '' ? (link.code === '' ? `not connected. ${link.why}` : 'connected, not paired') : `connected as ${link.person}`}`,
    ...(trouble === '' ? [] : [`trouble: ${trouble}`]),
  ].join('\n')
}
