// Which cards the home page shows, and in which order.

import { ActionIcon, Button, Checkbox, Group, Text } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { Section } from '#core/console/kit/Section.tsx'
import { setPreference, usePreference } from '#core/console/preferences.ts'
import type { HomePanel } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { moved } from './arranged.ts'
import classes from './home.module.css'

export function ArrangeCards({ cards, onDone }: { cards: readonly HomePanel[]; onDone: () => void }) {
  const { hidden } = usePreference('home')
  const keys = cards.map(({ key }) => key)
  const move = (key: string, by: -1 | 1) => setPreference('home', { order: moved(keys, key, by), hidden })
  const show = (key: string, shown: boolean) =>
    setPreference('home', { order: keys, hidden: shown ? hidden.filter((one) => one !== key) : [...hidden, key] })
  return (
    <Section
      title={t('Cards of this page')}
      intro={t('A card with nothing to show is left out by itself.')}
      actions={
        <Group gap="xs">
          <Button variant="subtle" size="xs" onClick={() => setPreference('home', { order: [], hidden: [] })}>
            {t('Reset')}
          </Button>
          <Button variant="default" size="xs" onClick={onDone}>
            {t('Done')}
          </Button>
        </Group>
      }
    >
      <ol className={classes['arranged']}>
        {cards.map(({ key, title }, at) => (
          <li key={key}>
            <Checkbox label={t(title)} checked={!hidden.includes(key)} onChange={(event) => show(key, event.currentTarget.checked)} />
            <Group gap={4} wrap="nowrap">
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('Move {card} up', { card: t(title) })}
                disabled={at === 0}
                onClick={() => move(key, -1)}
              >
                <IconArrowUp size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('Move {card} down', { card: t(title) })}
                disabled={at === cards.length - 1}
                onClick={() => move(key, 1)}
              >
                <IconArrowDown size={16} aria-hidden />
              </ActionIcon>
            </Group>
          </li>
        ))}
      </ol>
      {cards.length === 0 && <Text c="dimmed">{t('There are no cards for you yet.')}</Text>}
    </Section>
  )
}
