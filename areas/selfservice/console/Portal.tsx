// The first page of self-service: what waits for the person, and what they can do.

import { Suspense } from 'react'
import { useMay, useViewer } from '#core/console/bootstrap.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { TaskLink } from '#core/console/kit/TaskLink.tsx'
import { pathOfPlace, roomsStore, useOffers } from '#core/console/rooms.ts'
import { selfActions, selfTasks } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import classes from './Portal.module.css'

export function Portal() {
  const viewer = useViewer()
  const may = useMay()
  const rooms = roomsStore()
  const tasks = useOffers(selfTasks)
    .filter(({ needs = 'signedIn' }) => may(needs))
    .toSorted((a, b) => a.order - b.order)
  const actions = useOffers(selfActions)
    .toSorted((a, b) => a.order - b.order)
    .flatMap((action) => {
      const path = pathOfPlace(rooms, viewer.permission.View, action)
      return path === undefined ? [] : [{ ...action, path }]
    })
  return (
    <Page title={t('Hello {givenName}', { givenName: viewer.names.givenName })}>
      <div className={classes['waiting']}>
        <Section title={t('Waiting for you')}>
          <ul className={classes['list']}>
            {tasks.map(({ key, load: Task }) => (
              <Suspense key={key}>
                <Task />
              </Suspense>
            ))}
          </ul>
        </Section>
      </div>
      <Section title={t('What would you like to do?')}>
        <ul className={classes['list']}>
          {actions.map(({ key, icon, says, hint, path }) => (
            <TaskLink key={key} icon={icon} says={t(says)} why={hint === undefined ? undefined : t(hint)} to={path} />
          ))}
        </ul>
      </Section>
    </Page>
  )
}
