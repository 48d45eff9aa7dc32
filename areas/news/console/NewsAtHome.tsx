// The news on the home page, until it is seen. It stands among the work and does not cover it.

import { Button, Group, Stack } from '@mantine/core'
import { HomeCard } from '#core/console/kit/HomeCard.tsx'
import { Markdown } from '#core/console/kit/Markdown.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { news } from '../contract.ts'

export function NewsAtHome() {
  const { data } = useCall(news.calls.read, {})
  const seen = useSend(news.calls.seen, { quiet: true, invalidates: ['home'] })
  if (data?.show !== true) return null
  const { version } = data
  return (
    <HomeCard>
      <Stack gap="md">
        <Markdown text={data.markdownString} />
        <Group>
          <Button
            variant="light"
            loading={seen.pending}
            onClick={() => void seen.run({ version }).catch((error: unknown) => toastFault(error))}
          >
            {t('Do not show this again')}
          </Button>
        </Group>
      </Stack>
    </HomeCard>
  )
}
