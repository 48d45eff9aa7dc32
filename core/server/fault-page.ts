// A fault as a page. Below /pki/ stand the doors of relying parties, whose programs read bytes; a person who opens such an address with a browser,
// mistyped or out of a certificate, reads a sentence.

import { createHash } from 'node:crypto'
import type { Fault } from './fault.ts'

const style =
  'body{max-width:36rem;margin:15vh auto;padding:0 1.5rem;font:1rem/1.5 system-ui,sans-serif}h1{font-size:1.25rem}small{opacity:.75}'

export const faultPageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // What a program asks of the same address is answered otherwise.
  vary: 'accept',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'`,
}

/** Asked for by name: whoever takes anything is a program. */
export const wantsPage = (method: string, path: string, accept: string | undefined): boolean =>
  (method === 'GET' || method === 'HEAD') && /^\/pki(?:\/|$)/i.test(path) && /\btext\/html\b/i.test(accept ?? '')

export function faultPage({ status, message }: Pick<Fault, 'status' | 'message'>, reference: string): string {
  const title = status === 404 ? 'There is nothing at this address' : message
  const hint =
    status === 404
      ? '<p>Below /pki/ authorities give out their certificates, revocation lists and OCSP answers, each at an address of its own that stands in the certificates they issue. Check the address, or <a href="/">go to the start page</a>.</p>'
      : '<p><a href="/">Go to the start page</a></p>'
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${escaped(title)}</title><style>${style}</style></head><body><h1>${escaped(title)}</h1>${hint}<p><small>Reference ${escaped(reference)}</small></p></body></html>\n`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
