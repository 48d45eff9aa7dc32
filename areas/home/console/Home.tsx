// The first page: what to do next, what waits, and what the rooms show of themselves, each for who may see what is behind it. Work comes first, then
// pictures, until the person arranges the cards.

import { Button, Stack } from '@mantine/core'
import { IconLayoutGrid } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { Navigate } from 'react-router'
import { useMay, useViewer } from '#core/console/bootstrap.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { HomeCardContext } from '#core/console/kit/HomeCard.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { LoadingState } from '#core/console/kit/states.tsx'
import { usePreference } from '#core/console/preferences.ts'
import { pathOfPlace, roomsStore, screenKey, shownScreens, useOffers } from '#core/console/rooms.ts'
import { homePanels, type HomePanel } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import type { Screen } from '#core/contract/contract.ts'
import { fillPath } from '#core/contract/paths.ts'
import { satisfies } from '#core/contract/permissions.ts'
import { isSelfServed } from '#core/contract/self-service.ts'
import { arranged } from './arranged.ts'
import { FirstRun } from './FirstRun.tsx'
import { askForHome, useHomePage } from './home-page.ts'
import classes from './home.module.css'
import { Waiting } from './Waiting.tsx'

const ArrangeCards = lazy(() => import('./ArrangeCards.tsx').then((file) => ({ default: file.ArrangeCards }), chunkFailed))

Home.ask = askForHome

/** Who comes for nothing but their own things begins in self-service. */
export function Home() {
  const { permission } = useViewer()
  const portal = roomsStore((rooms) => pathOfPlace(rooms, permission.View, { area: 'selfservice', screen: 'portal' }))
  return portal !== undefined && isSelfServed(permission) ? <Navigate to={portal} replace /> : <Cards />
}

function Cards() {
  const viewer = useViewer()
  const may = useMay()
  const here = useHomePage()
  const [arranging, setArranging] = useState(false)
  const arrangement = usePreference('home')
  const begin = useBeginning()
  const cards = arranged(
    useOffers(homePanels).filter(({ needs = 'signedIn' }) => may(needs, 'View') && may(needs)),
    arrangement,
  )
  return (
    <Page
      title={t('Home')}
      intro={t('Welcome, {givenName}.', { givenName: viewer.names.givenName })}
      actions={
        <>
          {begin !== undefined && <LinkButton to={fillPath(begin.path, begin.menu?.params ?? {})}>{t(begin.title)}</LinkButton>}
          <Button
            variant="default"
            leftSection={<IconLayoutGrid size={16} stroke={1.8} aria-hidden />}
            aria-expanded={arranging}
            onClick={() => setArranging(!arranging)}
          >
            {t('Arrange cards')}
          </Button>
        </>
      }
    >
      {arranging && (
        <Suspense>
          <ArrangeCards cards={cards} onDone={() => setArranging(false)} />
        </Suspense>
      )}
      {here ? (
        <Stack gap="md">
          <FirstRun />
          <div className={classes['packed']}>
            <Waiting />
            {cards.filter(({ key }) => !arrangement.hidden.includes(key)).map(draw)}
          </div>
        </Stack>
      ) : (
        <div className={classes['reserved']}>
          <LoadingState />
        </div>
      )}
    </Page>
  )
}

/** What people come for first, by the contracts. */
function useBeginning(): Screen | undefined {
  const rooms = roomsStore()
  const { permission } = useViewer()
  const shown = shownScreens(rooms)
  return rooms.screens
    .filter((screen) => screen.first !== undefined && shown.has(screenKey(screen)) && satisfies(permission.View, screen.needs))
    .toSorted((a, b) => (a.first ?? 0) - (b.first ?? 0))[0]
}

const draw = ({ key, title, intro, wide, load: Panel }: HomePanel) => (
  <div key={key} className={wide === true ? classes['wide'] : undefined}>
    <HomeCardContext value={{ title: t(title), ...(intro === undefined ? {} : { intro: t(intro) }) }}>
      <Suspense>
        <Panel />
      </Suspense>
    </HomeCardContext>
  </div>
)
