% A gauge that reads the level of the sea.
classdef TideGauge < handle & matlab.mixin.Copyable
    % TIDEGAUGE reads levels from a port and smooths them.

    properties (Constant)
        FloodLevel = 2.5
    end

    properties (SetAccess = private)
        Port (1,1) string = "COM3"
        Levels double
        Window = 5;
    end

    properties (Dependent)
        Mean
    end

    events
        Flooded
    end

    enumeration
        North, South
    end

    methods
        function obj = TideGauge(port)
            % Opens the port at once.
            obj@handle();
            obj.Port = port;
            obj.Levels = zeros(1, 0);
        end

        function value = get.Mean(obj)
            value = mean(obj.Levels);
        end

        function level = read(obj, count)
            arguments
                obj
                count (1,1) double = 1
            end
            raw = readline(obj.Port);
            level = smooth_levels(str2double(raw), obj.Window);
            obj.Levels(end + 1) = level;
            if level > TideGauge.FloodLevel
                notify(obj, 'Flooded');
            end
        end
    end

    methods (Static)
        function gauges = all()
            import tide.ports.*
            gauges = cellfun(@(p) TideGauge(p), list_ports(), 'UniformOutput', false);
        end
    end

    methods (Abstract)
        result = calibrate(obj, datum)
    end
end

%% Smoothing

function out = smooth_levels(levels, window)
% SMOOTH_LEVELS  Moving median of LEVELS.
    out = movmedian(levels, window);
    fprintf('%d levels\n', numel(out));
end
