// Downloads a file, and says so where it fails.

import { Button, Loader, Stack, Text, type ButtonProps } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { CallFault } from '../call-fault.ts'
import { isHandledGlobally } from '../global-faults.ts'
import { saveFile } from '../save-file.ts'
import { askForFile } from '../send-file.ts'
import { t } from '../text.ts'

export type DownloadButtonProps = {
  label: string
  fileName: string
  /** An address of our own server, or a function that makes the content. */
  from: string | (() => Blob | Promise<Blob>)
} & Pick<ButtonProps, 'variant' | 'size'>

export function DownloadButton({ label, fileName, from, variant = 'default', size }: DownloadButtonProps) {
  const [pending, setPending] = useState(false)
  const [failed, setFailed] = useState('')
  const download = async (): Promise<void> => {
    if (pending) return
    setPending(true)
    setFailed('')
    try {
      saveFile(typeof from === 'string' ? await askForFile(from) : await from(), fileName)
    } catch (error) {
      if (!(error instanceof CallFault)) console.error(`download of ${fileName}`, error)
      if (!isHandledGlobally(error)) setFailed(t('Error downloading file {name}, please try again', { name: fileName }))
    } finally {
      setPending(false)
    }
  }
  return (
    <Stack gap={4} align="flex-start">
      <Button
        variant={variant}
        {...(size === undefined ? {} : { size })}
        aria-busy={pending}
        leftSection={pending ? <Loader size={14} color="currentColor" /> : <IconDownload size={16} stroke={1.8} aria-hidden />}
        onClick={() => void download()}
      >
        {label}
      </Button>
      {failed !== '' && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {failed}
        </Text>
      )}
    </Stack>
  )
}
