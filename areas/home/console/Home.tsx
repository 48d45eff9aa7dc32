// The first page: what to do next, how the certificates stand, what waits, what happened. Each part is there for who may see what is behind it.

import { Stack } from '@mantine/core'
import { Suspense } from 'react'
import { useMay, useViewer } from '#core/console/bootstrap.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { LoadingState } from '#core/console/kit/states.tsx'
import { useOffers } from '#core/console/rooms.ts'
import { homePanels } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { Activity } from './Activity.tsx'
import { AuthoritiesInTrouble } from './AuthoritiesInTrouble.tsx'
import { CanAsk } from './CanAsk.tsx'
import { CertificatePictures } from './CertificatePictures.tsx'
import { FirstRun } from './FirstRun.tsx'
import classes from './home.module.css'
import { ListFreshness } from './ListFreshness.tsx'
import { WaitingKeys } from './WaitingKeys.tsx'
import { WaitingRevocations } from './WaitingRevocations.tsx'

export function Home() {
  const viewer = useViewer()
  const may = useMay()
  const panels = useOffers(homePanels)
    .filter(({ needs = 'signedIn' }) => may(needs, 'View'))
    .toSorted((a, b) => (a.order ?? 100) - (b.order ?? 100))
  const certificates = may('certView') && may('search', 'View')
  return (
    <Page title={t('Home')} intro={t('Welcome, {givenName}.', { givenName: viewer.names.givenName })}>
      <Stack gap="md">
        <FirstRun />
        <WaitingKeys />
        {certificates && <CertificatePictures />}
        <div className={classes['packed']}>
          {may('monitor', 'View') && <AuthoritiesInTrouble />}
          {panels.map(({ key, title = '', wide, load: Panel }) => (
            <div key={key} className={wide === true ? classes['wide'] : undefined}>
              <Section title={t(title)}>
                <Suspense fallback={<LoadingState />}>
                  <Panel />
                </Suspense>
              </Section>
            </div>
          ))}
          {!certificates && <CanAsk />}
          {may('certRevokeView') && (
            <>
              <WaitingRevocations />
              <div>
                <Section title={t('Revocation lists')} intro={t('How fresh what the world reads is')}>
                  <ListFreshness />
                </Section>
              </div>
            </>
          )}
          {may('audit') && (
            <Section title={t('Latest activity')}>
              <Activity />
            </Section>
          )}
        </div>
      </Stack>
    </Page>
  )
}
