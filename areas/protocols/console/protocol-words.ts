// What people read of the protocols, and where each has its screens.

import { to } from '#core/contract/paths.ts'
import { protocolRoom } from '../contract.ts'
import type { Protocol, SecretState, TransactionKind, TransactionState } from '../rules.ts'

const { screens } = protocolRoom

/** `says`: what a client does whose request waits for somebody. */
type Words = { intro: string; says: string; newProfile: string; list: string; add: string; edit: (id: string) => string }

export const protocolWords: Record<Protocol, Words> = {
  scep: {
    intro:
      'Routers, phones, printers and device managers enrol by SCEP. A profile is an address that they are given, with a template behind it.',
    says: 'Until then the client hears that its request is pending, and asks again by itself: leave it running.',
    newProfile: 'New SCEP profile',
    list: to(screens.scep),
    add: to(screens.addScep),
    edit: (id) => to(screens.editScep, { id }),
  },
  est: {
    intro: 'Servers and devices enrol by EST over HTTPS, with a secret as their password or with the certificate that they have.',
    says: 'Until then the client is answered 202 with the time after which to ask again: strongSwan does, and so does the loop below.',
    newProfile: 'New EST profile',
    list: to(screens.est),
    add: to(screens.addEst),
    edit: (id) => to(screens.editEst, { id }),
  },
  cmp: {
    intro: 'Industrial devices and base stations enrol by CMP, with a shared secret first and with their certificate from then on.',
    says: 'Until then the client hears that its request is pending, and asks again by itself: leave it running.',
    newProfile: 'New CMP profile',
    list: to(screens.cmp),
    add: to(screens.addCmp),
    edit: (id) => to(screens.editCmp, { id }),
  },
  windows: {
    intro:
      'Windows enrols by group policy and at a prompt, with a secret as its password first and with its certificate from then on. Names and security identifiers come from the secret or the person’s record, never from the request.',
    says: 'Until then Windows keeps the request as pending, and asks again by itself when it enrols next.',
    newProfile: 'New Windows profile',
    list: to(screens.windows),
    add: to(screens.addWindows),
    edit: (id) => to(screens.editWindows, { id }),
  },
}

export const transactionWords: Record<TransactionState, { kind: string; label: string }> = {
  processing: { kind: 'pending', label: 'In progress' },
  pending: { kind: 'pending', label: 'Waiting for approval' },
  issued: { kind: 'active', label: 'Issued' },
  refused: { kind: 'denied', label: 'Refused' },
}

export const tpmAttemptWords: Record<'begun' | 'requested' | 'refused', { kind: string; label: string }> = {
  begun: { kind: 'pending', label: 'In progress' },
  requested: { kind: 'active', label: 'Attested' },
  refused: { kind: 'denied', label: 'Refused' },
}

export const kindWords: Record<TransactionKind, { label: string }> = {
  initial: { label: 'First certificate' },
  renewal: { label: 'Renewal' },
  serverKey: { label: 'With a key made here' },
}

export const secretWords: Record<SecretState, { kind: string; label: string }> = {
  active: { kind: 'active', label: 'Active' },
  used: { kind: 'disabled', label: 'Used up' },
  expired: { kind: 'expired', label: 'Expired' },
  ended: { kind: 'revoked', label: 'Ended' },
}
