// What calls answer that reach for a card in a reader of the caller.

import { noClientText } from './rules.ts'

export const cardBusy = { status: 409, says: 'Another operation drives this card' } as const

export const clientFaults = {
  noClient: { status: 409, says: noClientText },
  noReader: { status: 409, says: 'There is no such reader' },
  readerTwice: {
    status: 409,
    says: 'Two of your machines have a card in a reader of this name: name the card by its serial number, or take one of them out',
  },
  noCard: { status: 409, says: 'There is no card in the reader' },
  otherCard: { status: 409, says: 'Another card is in the reader: {serial}' },
  cardGone: { status: 409, says: 'The card or its reader is gone: {reason}. Put the card in again and repeat: it goes on from there' },
  cardRefused: { status: 409, says: 'The card refused. {reason}' },
  cardBusy,
  notPiv: { status: 409, says: 'The card has no PIV application, or tells nobody who it is' },
} as const
