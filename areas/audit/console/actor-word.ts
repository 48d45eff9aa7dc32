// The work in the background, which is the actor where no person is: in the language of who reads. A person's name stands as it is.

import { t } from '#core/console/text.ts'

const works: readonly { label: string }[] = [
  { label: 'ACME orders' },
  { label: 'Applications' },
  { label: 'Auto-enrolment' },
  { label: 'Card desk' },
  { label: 'Discovery' },
  { label: 'Domains' },
  { label: 'Enrolment protocols' },
  { label: 'Expiry notices' },
  { label: 'Export' },
  { label: 'Facility directory' },
  { label: 'Forgotten passwords' },
  { label: 'Health of authorities' },
  { label: 'Invitations' },
  { label: 'Issuing' },
  { label: 'Keys' },
  { label: 'Licence notices' },
  { label: 'Mail' },
  { label: 'OCSP signers' },
  { label: 'Passes' },
  { label: 'Provider credentials' },
  { label: 'Recovery' },
  { label: 'Registration' },
  { label: 'Removal of tenancies' },
  { label: 'Requests' },
  { label: 'Revocation lists' },
  { label: 'Revocation notices' },
  { label: 'Sign-in' },
  { label: 'Stock' },
  { label: 'Succession' },
  { label: 'Tickets' },
  { label: 'Visits' },
]
const known = new Set(works.map(({ label }) => label))

export const actorWord = (actor: string, actorId?: string): string => (actorId === undefined && known.has(actor) ? t(actor) : actor)
