// Mail with the look of its tenancy: the text as it is, below a band with logo and name. Programs that show no HTML show the same text.

import type { MailLook } from '../mail-looks.ts'

export type HtmlParts = { html?: string; attachments?: { filename: string; content: Buffer; contentType: string; cid: string }[] }

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign)

/** Addresses become links; everything else is text, whatever it looks like. */
const withLinks = (text: string): string =>
  text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((part, at) => (at % 2 === 1 ? `<a href="${escape(part)}">${escape(part)}</a>` : escape(part)))
    .join('')

export function htmlParts(text: string, look: MailLook | undefined, name: string): HtmlParts {
  if (look === undefined) return {}
  const [, type, data] = /^data:([\w/+.-]+);base64,(.*)$/.exec(look.icon) ?? []
  const logo = type !== undefined && data !== undefined
  const band = look.secondaryColour === '' ? '#ffffff' : look.secondaryColour
  const ink = look.tertiaryColour === '' ? '#1a2029' : look.tertiaryColour
  const shown = look.logoContainsAppName && logo ? '' : `<span style="vertical-align:middle">${escape(name)}</span>`
  const picture = logo ? `<img src="cid:logo" alt="${escape(name)}" height="32" style="vertical-align:middle;margin-right:12px">` : ''
  return {
    html: [
      '<!doctype html><html><body style="margin:0;font-family:sans-serif;color:#1a2029;background:#ffffff">',
      `<div style="padding:16px 24px;background:${band};color:${ink};border-bottom:3px solid ${look.primaryColour};font-weight:600">${picture}${shown}</div>`,
      `<div style="padding:24px;white-space:pre-wrap;line-height:1.5">${withLinks(text)}</div>`,
      '</body></html>',
    ].join(''),
    ...(logo ? { attachments: [{ filename: 'logo', content: Buffer.from(data, 'base64'), contentType: type, cid: 'logo' }] } : {}),
  }
}
