// The agent's own page: who drives the cards, which readers there are, the code to pair it, and what is wrong. Plain HTML without scripts.

import { englishReader, message, speak, type Language, type Message } from '#core/server/texts.ts'
import type { AgentState } from './state.ts'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const html = (text: string) => text.replace(/[&<>"']/g, (letter) => escapes[letter] ?? letter)

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color:#1b1f24;background:#fff}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}code{font-size:1.6rem;letter-spacing:.15em}dt{font-weight:600}dd{margin:0 0 .5rem}dd,pre{overflow-wrap:anywhere}pre{white-space:pre-wrap;background:#f3f4f6;padding:1rem}@media(prefers-color-scheme:dark){body{color:#e6e8eb;background:#16181b}pre{background:#24272b}}'

export function statusPage(state: AgentState, version: string, language: Language): string {
  const { readers, printers, trouble, activity } = state
  const said = (one: Message): string => html(speak({ ...englishReader, language }, one))
  const paragraph = (one: Message): string => `<p>${said(one)}</p>`
  const software = (isVirtual: boolean): string => (isVirtual ? ` (${said(message('software'))})` : '')
  const list = readers.map(
    ({ name, atr, isVirtual }) =>
      `<dt>${html(name)}${software(isVirtual)}</dt><dd>${said(atr === '' ? message('No card') : message('Card, ATR {atr}', { atr }))}</dd>`,
  )
  const atPrinters = printers.map(({ name, isVirtual }) => `<li>${html(name)}${software(isVirtual)}</li>`)
  const title = said(message('Chancery security client'))
  const heading = (one: Message): string => `<h2>${said(one)}</h2>`
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="5"><title>${title}</title><style>${style}</style></head><body><h1>${title} ${html(version)}</h1>`,
    ...connectionOf(state).map((one) => ('code' in one ? `<p><code>${html(one.code)}</code></p>` : paragraph(one))),
    ...(activity === '' ? [] : [paragraph(message('Now: {what}', { what: activity }))]),
    heading(message('Readers')),
    list.length === 0 ? paragraph(message('No reader.')) : `<dl>${list.join('')}</dl>`,
    heading(message('Printers')),
    atPrinters.length === 0
      ? paragraph(message('No printer. Start the client with --printer NAME=ADDRESS to add one.'))
      : `<ul>${atPrinters.join('')}</ul>`,
    heading(message('Report')),
    paragraph(message('For whoever helps you, in English. It holds no PIN and no key.')),
    `<pre>${html(report(state, version, trouble))}</pre></body></html>`,
  ].join('')
}

/** Who drives the cards, or how to connect. */
function connectionOf({ origin, link: { person, code, why } }: AgentState): (Message | { code: string })[] {
  if (person !== '') return [message('Connected. {person} drives the cards in these readers, from {origin}.', { person, origin })]
  if (code !== '')
    return [
      message(
        'Connected to {origin}, to nobody yet. To use the readers of this machine, type this code there, at the card desk or on My smartcards, under “Connect by a code”:',
        { origin },
      ),
      { code },
      message(
        'It is good for ten minutes; then another one stands here. In a browser on this machine “Connect this machine” does it without a code.',
      ),
    ]
  return [
    message('Not connected to {origin}.', { origin }),
    why === '' ? message('It is being asked for a code.') : message('{why}', { why }),
    message('Once the server answers, a code to connect by stands here.'),
  ]
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
