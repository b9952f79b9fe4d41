# Backups of folders.
using module ./Log.psm1
using namespace System.IO
Import-Module Az.Storage
. "$PSScriptRoot/Common.ps1"

$script:MaxAge = 30
$Global:BackupRoot = '/srv/backup'
Set-Variable -Name Retries -Value 3 -Option Constant

<#
.SYNOPSIS
    What state a backup is in.
#>
enum BackupState {
    Open
    Done = 4
}

class BackupBase {
    [string] $Name
}

# One backup.
class Backup : BackupBase, IDisposable {
    [string] $Path
    hidden [int] $Count = 0
    static [Backup[]] $All = @()

    Backup([string] $path) {
        $this.Path = $path
    }

    [bool] IsOld([int] $days) {
        $age = (Get-Date) - $this.Created()
        return $age.Days -gt $days
    }

    static [Backup] Open([string] $path) {
        return [Backup]::new($path)
    }

    [void] Dispose() {
        Write-Verbose "disposed $($this.Path)"
    }
}

function Get-Backup {
    <#
    .SYNOPSIS
        Lists backups.
    #>
    [CmdletBinding()]
    param(
        [Parameter(Mandatory)]
        [string] $Path,
        [int] $Limit = 10
    )

    begin { $found = @() }
    process {
        $found += Get-ChildItem -Path $Path | Where-Object { $_.Length -gt 0 }
        [Backup]::Open($Path).IsOld($script:MaxAge)
    }
    end {
        function Limit-Items($items) { $items | Select-Object -First $Limit }
        Limit-Items $found
    }
}

filter Skip-Empty { if ($_) { $_ } }

function script:Remove-OldBackup([string] $Path) {
    $backup = New-Object Backup -ArgumentList $Path
    Remove-Item $backup.Path
}

workflow Invoke-Nightly { Get-Backup -Path '/srv' }

Export-ModuleMember -Function Get-Backup, Remove-OldBackup
