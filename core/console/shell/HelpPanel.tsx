// Help beside the page: what this is, how to do the usual things, what can go wrong. Written by the room in Markdown.

import { Divider, Drawer, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { useMay } from '../bootstrap.ts'
import { TextLink } from '../kit/links.tsx'
import { Markdown } from '../kit/Markdown.tsx'
import { LoadingState } from '../kit/states.tsx'
import { handOver } from '../last-fault.ts'
import { roomsStore, useOffers } from '../rooms.ts'
import { helpLinks } from '../slots.ts'
import { t } from '../text.ts'

export function HelpPanel({ area, onClose }: { area: string | undefined; onClose: () => void }) {
  const load = roomsStore((rooms) => rooms.consoleModules.find((consoleModule) => consoleModule.area === area)?.help)
  const [text, setText] = useState<string>()
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    let wanted = true
    load?.().then(
      (file) => wanted && setText(file.default),
      () => wanted && setFailed(true),
    )
    return () => {
      wanted = false
    }
  }, [load])
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={420}
      title={t('Help')}
      withOverlay={false}
      lockScroll={false}
      trapFocus={false}
      shadow="md"
    >
      {load === undefined ? (
        <Text c="dimmed">{t('There is no help for this page yet.')}</Text>
      ) : failed ? (
        <Text role="alert">{t('The help could not be loaded.')}</Text>
      ) : text === undefined ? (
        <LoadingState />
      ) : (
        <Markdown text={text} />
      )}
      <HelpLinks onLeave={onClose} />
    </Drawer>
  )
}

function HelpLinks({ onLeave }: { onLeave: () => void }) {
  const may = useMay()
  const { pathname, search } = useLocation()
  const links = useOffers(helpLinks).filter(({ needs }) => may(needs, 'View'))
  if (links.length === 0) return null
  return (
    <Stack gap={4} mt="lg">
      <Divider mb="xs" />
      {links.map(({ label, to }) => (
        <TextLink
          key={label}
          to={to(pathname + search)}
          target="_blank"
          rel="opener"
          onClick={() => {
            handOver()
            onLeave()
          }}
        >
          {t(label)}
        </TextLink>
      ))}
    </Stack>
  )
}
