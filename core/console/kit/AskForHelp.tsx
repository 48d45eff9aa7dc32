// Where a refusal is shown: the way to those who help. It opens beside this page, so that a form keeps what was typed, and takes the refusal along.

import { useLocation } from 'react-router'
import { useMay } from '../bootstrap.ts'
import { handOver, noteRefusal, type Refusal } from '../last-fault.ts'
import { useOffers } from '../rooms.ts'
import { helpLinks } from '../slots.ts'
import { t } from '../text.ts'
import { TextLink } from './links.tsx'

/** `refusal`: where it is no answer of the server, which is known already. `page`: what it is about, unless that is the page that is shown. */
export function AskForHelp({ refusal, page }: { refusal?: Refusal; page?: string | undefined }) {
  const may = useMay()
  const { pathname, search } = useLocation()
  const links = useOffers(helpLinks).filter(
    // Not on the page that it leads to itself.
    ({ needs, atRefusal, to }) => atRefusal !== undefined && may(needs, 'View') && to('').split('?')[0] !== pathname,
  )
  return links.map(({ label, atRefusal = label, to }) => (
    <TextLink
      key={label}
      to={to(page ?? pathname + search)}
      target="_blank"
      // The new tab gets a copy of what this one has stored, which it would not without its opener. Both are ours.
      rel="opener"
      size="sm"
      onClick={() => {
        if (refusal !== undefined) noteRefusal(refusal)
        handOver()
      }}
    >
      {t(atRefusal)}
    </TextLink>
  ))
}
