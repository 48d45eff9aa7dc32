// The first page: what to do next, what waits, and what the rooms show of themselves, each for who may see what is behind it.

import { Stack } from '@mantine/core'
import { Suspense } from 'react'
import { useMay, useViewer } from '#core/console/bootstrap.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { LoadingState } from '#core/console/kit/states.tsx'
import { useOffers } from '#core/console/rooms.ts'
import { homePanels, type HomePanel } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { FirstRun } from './FirstRun.tsx'
import classes from './home.module.css'
import { Waiting } from './Waiting.tsx'

export function Home() {
  const viewer = useViewer()
  const may = useMay()
  const panels = useOffers(homePanels)
    .filter(({ needs = 'signedIn' }) => may(needs, 'View') && may(needs))
    .toSorted((a, b) => (a.order ?? 100) - (b.order ?? 100))
  return (
    <Page title={t('Home')} intro={t('Welcome, {givenName}.', { givenName: viewer.names.givenName })}>
      <Stack gap="md">
        <FirstRun />
        {panels.filter(({ first }) => first === true).map(draw)}
        <div className={classes['packed']}>
          <Waiting />
          {panels.filter(({ first }) => first !== true).map(draw)}
        </div>
      </Stack>
    </Page>
  )
}

/** One without a title draws its own sections, if any: no box of ours keeps its place. */
const draw = ({ key, title, intro, wide, load: Panel }: HomePanel) =>
  title === undefined ? (
    <Suspense key={key}>
      <Panel />
    </Suspense>
  ) : (
    <div key={key} className={wide === true ? classes['wide'] : undefined}>
      <Section title={t(title)} {...(intro === undefined ? {} : { intro: t(intro) })}>
        <Suspense fallback={<LoadingState />}>
          <Panel />
        </Suspense>
      </Section>
    </div>
  )
