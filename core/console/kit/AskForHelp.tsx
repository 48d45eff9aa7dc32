// Where a refusal is shown: the way to those who help. It opens beside this page, so that a form keeps what was typed, and takes the refusal along.

import { useInRouterContext, useLocation } from 'react-router'
import { useMay, useViewerIfAny } from '../bootstrap.ts'
import { handOver, noteRefusal, type Refusal } from '../last-fault.ts'
import { useOffers } from '../rooms.ts'
import { helpLinks } from '../slots.ts'
import { t } from '../text.ts'
import { TextLink } from './links.tsx'

/** `refusal`: where it is no answer of the server, which is known already. `page`: what it is about, unless that is the page that is shown. */
type About = { refusal?: Refusal; page?: string | undefined }

/** Nothing where the console is not there yet, or nobody has signed in: a refusal is shown then, too. */
export function AskForHelp(about: About) {
  const isHere = useInRouterContext()
  const viewer = useViewerIfAny()
  return isHere && viewer !== undefined && <Links {...about} />
}

function Links({ refusal, page }: About) {
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
