// The order in which people find the templates: by dragging, or by buttons, which the keyboard reaches. Nothing is kept before it is saved.

import { ActionIcon, Badge, Button, Group, Select, Stack, Text } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconGripVertical, IconList } from '@tabler/icons-react'
import { useState, type DragEvent } from 'react'
import { renumber, type Pinned } from '#areas/templates/narrowing.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { UnsavedGuard } from '#core/console/kit/UnsavedGuard.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { licensing } from '../contract.ts'
import classes from './licensing.module.css'

type Place = OutputOf<typeof licensing.calls.ordered>['templates'][number]

export function TemplateOrder() {
  const query = useCall(licensing.calls.ordered, {})
  return (
    <Page
      title={t('Order of templates')}
      narrow
      intro={t('The order in which people find the templates when they ask for a certificate. Pinned ones stand first.')}
    >
      <Loaded query={query}>
        {({ templates }) =>
          templates.length === 0 ? (
            <EmptyState
              icon={IconList}
              title={t('No template to order')}
              text={t('This tenancy has no templates yet, and none is licensed to it.')}
            />
          ) : (
            <OrderList key={templates.map(({ licensedTemplateId, pinned }) => licensedTemplateId + pinned).join()} saved={templates} />
          )
        }
      </Loaded>
    </Page>
  )
}

/** A static one stands before the mandatory ones, and those before the others: a move stays within its own kind. */
const moved = (places: readonly Place[], from: number, to: number): Place[] => {
  const place = places[from]
  return place === undefined || places[to]?.pinned !== place.pinned ? [...places] : places.toSpliced(from, 1).toSpliced(to, 0, place)
}

function OrderList({ saved }: { saved: readonly Place[] }) {
  const [places, setPlaces] = useState<Place[]>(() => renumber(saved))
  const [held, setHeld] = useState<number>()
  const [said, setSaid] = useState('')
  const save = useSend(licensing.calls.setOrder, { invalidates: ['templates', 'certificates'] })
  const dirty = places.some(
    (place, at) =>
      place.licensedTemplateId !== saved[at]?.licensedTemplateId || place.pinned !== saved[at]?.pinned || saved[at]?.priority !== at + 1,
  )

  const move = (from: number, to: number): void => {
    const next = moved(places, from, to)
    setPlaces(next)
    const place = places[from]
    if (place !== undefined && next[to] === place)
      setSaid(t('{name} is now at place {place} of {count}', { name: place.displayName, place: to + 1, count: places.length }))
  }
  const pin = (at: number, pinned: Pinned): void =>
    setPlaces(renumber(places.map((place, index) => (index === at ? { ...place, pinned } : place))))
  const over = (event: DragEvent, at: number): void => {
    if (held === undefined || places[at]?.pinned !== places[held]?.pinned) return
    event.preventDefault()
    if (held === at) return
    move(held, at)
    setHeld(at)
  }

  return (
    <Stack gap="md">
      <UnsavedGuard dirty={() => dirty && !save.pending} />
      {save.fault !== undefined && <FaultAlert fault={save.fault} />}
      <ol className={classes['order'] ?? ''} aria-label={t('Templates in their order')}>
        {places.map((place, at) => {
          const name = place.displayName
          const may = (to: number) => places[to]?.pinned === place.pinned && place.pinned !== 'static'
          return (
            <li
              key={place.licensedTemplateId}
              className={classes['place']}
              data-held={held === at || undefined}
              draggable={place.pinned !== 'static'}
              onDragStart={(event) => {
                event.dataTransfer.effectAllowed = 'move'
                setHeld(at)
              }}
              onDragOver={(event) => over(event, at)}
              onDragEnd={() => setHeld(undefined)}
              onDrop={(event) => event.preventDefault()}
            >
              <IconGripVertical size={16} stroke={1.8} aria-hidden className={classes['grip']} />
              <Text component="span" className={classes['number']} c="dimmed">
                {at + 1}
              </Text>
              <div className={classes['name']}>
                <Group gap="xs">
                  <Text fw={600}>{name}</Text>
                  {place.pinned !== '' && (
                    <Badge variant="light">{place.pinned === 'static' ? t('Fixed at the top') : t('Near the top')}</Badge>
                  )}
                </Group>
                <Text size="sm" c="dimmed">
                  {place.own ? place.caName : t('{authority}, licensed by {owner}', { authority: place.caName, owner: place.owner })}
                </Text>
              </div>
              <Select
                className={classes['pin'] ?? ''}
                aria-label={t('Position of {name}', { name })}
                data={[
                  { value: 'free', label: t('In this order') },
                  { value: 'mandatory', label: t('Near the top') },
                  { value: 'static', label: t('Fixed at the top') },
                ]}
                value={place.pinned === '' ? 'free' : place.pinned}
                allowDeselect={false}
                onChange={(picked) => pin(at, picked === 'mandatory' || picked === 'static' ? picked : '')}
              />
              <Group gap={4} wrap="nowrap">
                <ActionIcon
                  variant="default"
                  size="lg"
                  aria-label={t('Move {name} up', { name })}
                  aria-disabled={!may(at - 1)}
                  onClick={() => void (may(at - 1) && move(at, at - 1))}
                >
                  <IconArrowUp size={16} stroke={1.8} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  variant="default"
                  size="lg"
                  aria-label={t('Move {name} down', { name })}
                  aria-disabled={!may(at + 1)}
                  onClick={() => void (may(at + 1) && move(at, at + 1))}
                >
                  <IconArrowDown size={16} stroke={1.8} aria-hidden />
                </ActionIcon>
              </Group>
            </li>
          )
        })}
      </ol>
      <div role="status" className={classes['said']}>
        {said}
      </div>
      <Group>
        <Button
          loading={save.pending}
          onClick={() =>
            void save.run({ templates: places.map(({ licensedTemplateId, pinned }) => ({ licensedTemplateId, pinned })) }).catch(() => {})
          }
        >
          {t('Save order')}
        </Button>
        {dirty && (
          <Button variant="default" onClick={() => setPlaces(renumber(saved))}>
            {t('Discard changes')}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
