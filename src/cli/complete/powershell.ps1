
	$find = {
		param($rows, $name)
		foreach ($row in $rows) {
			if ($row.Offers.CompletionText -ccontains $name -or $row.Hidden -ccontains $name) {
				return $row
			}
		}
	}
	$descend = {
		param($path, $name)
		$row = & $find $table[$path].Commands $name
		if ($row) {
			return "$path $($row.Offers[0].CompletionText)".Trim()
		}
	}
	$starting = {
		param($results, $start)
		$results | Where-Object { $_.CompletionText.StartsWith($start, [StringComparison]::Ordinal) }
	}
	# Values behind a text: an option and =, and in a list the values before the last comma.
	$behind = {
		param($values, $before, $start)
		foreach ($value in (& $starting $values $start)) {
			[System.Management.Automation.CompletionResult]::new(
				$before + $value.CompletionText, $value.ListItemText, 'ParameterValue', $value.ToolTip)
		}
	}

	# The words before the one at the cursor; a first word of cargo's is not ours.
	$words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
		ForEach-Object { $_.Extent.Text.Trim('''"') })
	$first = 1
	if ($words[0] -match '(^|[\\/])cargo(-ktstr)?(\.exe)?$' -and $words[1] -ceq 'ktstr') {
		$first = 2
	}
	$path = ''
	$given = @()
	$named = @()
	$plain = $false
	$pending = $null
	for ($i = $first; $i -lt $words.Count; $i++) {
		$word = $words[$i]
		if ($pending) {
			$pending = $null
		} elseif ($plain -or -not $word.StartsWith('-') -or $word -eq '-') {
			if ($table[$path].Commands.Count -eq 0) {
				$named += $word
			} else {
				$path = & $descend $path $word
				if ($null -eq $path) {
					return
				}
			}
		} elseif ($word -eq '--') {
			$plain = $true
		} elseif ($word.StartsWith('--')) {
			$option = & $find $table[$path].Options ($word -split '=', 2)[0]
			$given += $option
			if ($option -and $option.Kind -ne 'none' -and -not $word.Contains('=')) {
				$pending = $option
			}
		} else {
			for ($k = 1; $k -lt $word.Length; $k++) {
				$option = & $find $table[$path].Options "-$($word[$k])"
				$given += $option
				if ($option -and $option.Kind -ne 'none') {
					if ($k -eq $word.Length - 1) {
						$pending = $option
					}
					break
				}
			}
		}
	}

	$before = ''
	$start = $wordToComplete
	$wanted = $null
	if ($pending) {
		$wanted = $pending
	} elseif (-not $plain -and $start -match '^--[^=]*=') {
		$before = $Matches[0]
		$start = $start.Substring($before.Length)
		$wanted = & $find $table[$path].Options $before.TrimEnd('=')
	} elseif (-not $plain -and $start.StartsWith('-')) {
		$offered = $table[$path].Options | Where-Object { $_.Many -or $given -notcontains $_ }
		return & $starting $offered.Offers $start
	} elseif ($table[$path].Commands.Count -gt 0) {
		return & $starting $table[$path].Commands.Offers $start
	} else {
		$arguments = $table[$path].Arguments
		if ($named.Count -lt $arguments.Count) {
			$wanted = $arguments[$named.Count]
		} elseif ($arguments.Count -gt 0 -and $arguments[-1].Many) {
			$wanted = $arguments[-1]
		}
	}
	# Without a result PowerShell offers files by itself.
	switch ($wanted.Kind) {
		'one' { & $behind $wanted.Values $before $start }
		'list' {
			$comma = $start.LastIndexOf(',') + 1
			& $behind $wanted.Values ($before + $start.Substring(0, $comma)) $start.Substring($comma)
		}
		'command' {
			$path = ''
			foreach ($name in $named) {
				$path = & $descend $path $name
				if ($null -eq $path) {
					return
				}
			}
			& $starting $table[$path].Commands.Offers $start
		}
	}
}
