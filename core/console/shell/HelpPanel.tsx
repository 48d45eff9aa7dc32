// Help beside the page: what this is, how to do the usual things, what can go wrong. Written by the room in Markdown.

import { Drawer, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Markdown } from '../kit/Markdown.tsx'
import { LoadingState } from '../kit/states.tsx'
import { roomsStore } from '../rooms.ts'
import { t } from '../text.ts'

export function HelpPanel({ area, onClose }: { area: string; onClose: () => void }) {
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
    </Drawer>
  )
}
